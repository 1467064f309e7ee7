import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { type Merchant, type MerchantRow, toMerchant } from '../model/merchant.ts';
import { findMerchant } from '../store/merchants.ts';
import { listMerchantTaxes } from '../store/taxes.ts';
import { listMerchantWallets } from '../store/wallets.ts';

/** The merchant with what shows beside it in one mode. @param known the row, where the caller has it. */
export async function showMerchant(db: Handle, scope: Scope, known?: MerchantRow): Promise<Merchant> {
  const [merchant, wallets, taxes] = await Promise.all([
    known ?? findMerchant(db, scope.merchantId),
    listMerchantWallets(db, scope),
    listMerchantTaxes(db, scope),
  ]);
  return toMerchant(merchant!, scope.livemode, wallets, taxes);
}
