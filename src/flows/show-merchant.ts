import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { type Merchant, toMerchant } from '../model/merchant.ts';
import { findMerchantView, type MerchantViewRow } from '../store/merchant-views.ts';

const shown = new WeakMap<MerchantViewRow, Merchant>();

/** The merchant with what shows beside it in one mode. Shared by all who ask at once: nobody changes it. */
export async function showMerchant(db: Handle, scope: Scope): Promise<Merchant> {
  const view = (await findMerchantView(db, scope))!;
  const known = shown.get(view);
  if (known) return known;
  const merchant = toMerchant(view.merchant, scope.livemode, view);
  shown.set(view, merchant);
  return merchant;
}
