import type { Handle } from '../db/database.ts';
import { nilUuid } from '../kernel/ids.ts';
import { msatsForSats } from '../kernel/money.ts';
import { decodeBolt11 } from '../lightning/bolt11.ts';
import {
  type BrokenRule,
  findBrokenRules,
  type InvoiceString,
  listInvoiceStringsForOperator,
} from '../store/ledger.ts';

const batch = 500;

/**
 * Every rule of the books that some rows break, over all merchants and both modes; empty when the ledger holds.
 * Reads only, invoices by keyset.
 */
export async function checkLedger(db: Handle): Promise<BrokenRule[]> {
  const broken = await findBrokenRules(db);
  const ids: string[] = [];
  let last = nilUuid;
  for (;;) {
    const invoices = await listInvoiceStringsForOperator(db, last, batch);
    ids.push(...invoices.filter((invoice) => !agrees(invoice)).map(({ id }) => id));
    if (invoices.length < batch) break;
    last = invoices.at(-1)!.id;
  }
  if (ids.length > 0) broken.push({ rule: 'a BOLT11 string asks for what its invoice says', ids: ids.slice(0, 20) });
  return broken;
}

function agrees({ bolt11, livemode, amount_sats, payment_hash }: InvoiceString): boolean {
  const { amountMsat, paymentHash, network } = decodeBolt11(bolt11);
  if (amountMsat !== msatsForSats(amount_sats) || paymentHash !== payment_hash) return false;
  return (network === 'mainnet') === livemode;
}
