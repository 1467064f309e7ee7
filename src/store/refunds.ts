import { type Handle, statement } from '../db/database.ts';
import type { RefundRow } from '../model/refund.ts';
import { receivedCents } from './payments.ts';

const insert = statement(
  'refunds_insert',
  `insert into refunds (id, merchant_id, livemode, sale_id, order_id, amount_cents, currency, note, api_key_id, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
);
const findReceived = statement('refunds_find_received', `select ${receivedCents} as cents from orders o where id = $1`);
// Guarded by what is left, so that two refunds at once never give back more than was paid. A refunded sale stays so when
// more arrives.
const take = statement(
  'refunds_take_from_sale',
  `update sales
      set refunded_cents = refunded_cents + $2, updated_at = $4,
          status = case when status = 'refunded' or refunded_cents + $2 = $3 then 'refunded' else 'partially_refunded' end
    where id = $1 and refunded_cents + $2 <= $3
   returning status`,
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

/** What arrived for an order, and can be given back; its lock is held, so that nothing more does meanwhile. */
export async function findReceivedCents(tx: Handle, orderId: string): Promise<number> {
  return (await tx.maybeOne<{ cents: number }>(findReceived, [orderId]))!.cents;
}

/** Takes an amount off what arrived for a sale. @returns the sale's status then; undefined when it is more than is left. */
export async function takeFromSale(
  tx: Handle,
  saleId: string,
  amountCents: number,
  received: number,
  now: Date,
): Promise<'partially_refunded' | 'refunded' | undefined> {
  return (await tx.maybeOne<{ status: 'partially_refunded' | 'refunded' }>(take, [saleId, amountCents, received, now]))
    ?.status;
}
