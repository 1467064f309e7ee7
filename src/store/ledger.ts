import { dynamicStatement, type Handle, statement } from '../db/database.ts';
import { ledgerRules } from './ledger-rules.ts';

export interface BrokenRule {
  rule: string;
  /** Ids of rows that break it, at most 20. */
  ids: string[];
}

const mostIds = 20;

/** Rules that some rows break, over all merchants and both modes. */
export async function findBrokenRules(db: Handle): Promise<BrokenRule[]> {
  const broken: BrokenRule[] = [];
  for (const [rule, query] of Object.entries(ledgerRules)) {
    const rows = await db.many<Record<string, unknown>>(dynamicStatement(`${query} limit ${mostIds}`));
    if (rows.length > 0) broken.push({ rule, ids: rows.map((row) => String(Object.values(row)[0])) });
  }
  return broken;
}

/** What a BOLT11 string must agree with. */
export interface InvoiceString {
  id: string;
  bolt11: string;
  livemode: boolean;
  amount_sats: number;
  payment_hash: string;
}

const invoiceStrings = statement(
  'ledger_invoice_strings',
  `select id, bolt11, livemode, amount_sats, payment_hash from invoices
    where id > $1 order by id limit $2`,
);

/** Invoices after `afterId`, in the order of ids; for walking through all of them. */
export function listInvoiceStringsForOperator(db: Handle, afterId: string, limit: number): Promise<InvoiceString[]> {
  return db.many(invoiceStrings, [afterId, limit]);
}
