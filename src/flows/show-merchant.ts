import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { type Merchant, toMerchant } from '../model/merchant.ts';
import { findMerchantView, type MerchantViewRow } from '../store/merchant-views.ts';

const shown = new WeakMap<MerchantViewRow, Merchant>();

/** The merchant with what shows beside it in one mode. Shared by all who ask at once: nobody changes it. */
export async function showMerchant(db: Handle, scope: Scope): Promise<Merchant> {
  return toShownMerchant((await findMerchantView(db, scope))!, scope);
}

/** The same object for the same row, so that it is made, and written, once for all who share it. */
export function toShownMerchant(view: MerchantViewRow, { livemode }: Scope): Merchant {
  let merchant = shown.get(view);
  if (!merchant) {
    merchant = toMerchant(view.merchant, livemode, view);
    shown.set(view, merchant);
  }
  return merchant;
}
