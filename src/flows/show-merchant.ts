import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { type Merchant, toMerchant } from '../model/merchant.ts';
import { findMerchantView, type MerchantViewRow } from '../store/merchant-views.ts';

const shown = new WeakMap<Promise<MerchantViewRow>, Promise<Merchant>>();

/** The merchant with what shows beside it in one mode. Shared by all who ask at once: nobody changes it. */
export function showMerchant(db: Handle, scope: Scope): Promise<Merchant> {
  const found = findMerchantView(db, scope) as Promise<MerchantViewRow>;
  let merchant = shown.get(found);
  if (!merchant) {
    merchant = found.then((view) => toMerchant(view.merchant, scope.livemode, view));
    shown.set(found, merchant);
  }
  return merchant;
}
