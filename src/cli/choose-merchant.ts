import type { Handle } from '../db/database.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { findMerchant, listMerchantsForOperator } from '../store/merchants.ts';
import { CliFailure } from './failure.ts';

/** The merchant with this id; without one, the only merchant there is. @throws {CliFailure} */
export async function chooseMerchant(db: Handle, id: string | undefined): Promise<MerchantRow> {
  if (id !== undefined) {
    const merchant = await findMerchant(db, id);
    if (merchant) return merchant;
    throw new CliFailure(`No merchant has the id ${id}. "satline merchant list" shows them.`);
  }
  const merchants = await listMerchantsForOperator(db);
  if (merchants.length === 1) return merchants[0]!;
  throw new CliFailure(
    merchants.length === 0
      ? 'There is no merchant yet. Make one with "satline merchant create".'
      : `There are ${merchants.length} merchants. Say which one with --merchant ID; "satline merchant list" shows them.`,
  );
}
