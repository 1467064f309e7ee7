import { type Handle, statement } from '../db/database.ts';
import type { RefundRow } from '../model/refund.ts';

const insert = statement(
  'refunds_insert',
  `insert into refunds (id, merchant_id, livemode, sale_id, order_id, amount_cents, currency, note, api_key_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
// Guarded by what is left, so that two refunds at once never give back more than was paid.
const take = statement(
  'refunds_take_from_sale',
  `update sales
      set refunded_cents = refunded_cents + $2, updated_at = $3,
          status = case when refunded_cents + $2 = total_cents then 'refunded' else 'partially_refunded' end
    where id = $1 and refunded_cents + $2 <= total_cents
   returning status, total_cents, refunded_cents`,
);

export async function insertRefund(tx: Handle, row: RefundRow): Promise<void> {
  const { id, merchant_id, livemode, sale_id, order_id, amount_cents, currency, note, api_key_id, created_at } = row;
  await tx.run(insert, [
    id,
    merchant_id,
    livemode,
    sale_id,
    order_id,
    amount_cents,
    currency,
    note,
    api_key_id,
    created_at,
  ]);
}

/** Takes an amount off what a sale still holds. @returns the sale's status then; undefined when it is more than is left. */
export async function takeFromSale(
  tx: Handle,
  saleId: string,
  amountCents: number,
  now: Date,
): Promise<'partially_refunded' | 'refunded' | undefined> {
  return (await tx.maybeOne<{ status: 'partially_refunded' | 'refunded' }>(take, [saleId, amountCents, now]))?.status;
}
