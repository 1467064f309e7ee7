import type { Handle } from '../db/database.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { insertAccessGrants } from '../store/access-grants.ts';
import { findSaleOfOrder } from '../store/sales.ts';

/**
 * What the buyer of a paid order may open from now on, in the paying transaction. Needs the order's sale. The time that
 * was bought begins when the payment is noticed: before that nobody could use it.
 */
export async function grantAccess(tx: Handle, order: OrderRow, now: Date): Promise<void> {
  if (!order.items.some(({ product_id }) => product_id)) return;
  const sale = (await findSaleOfOrder(tx, order.id))!;
  const lines = sale.items.flatMap(({ id, product_id }) => (product_id ? [{ id, product: product_id }] : []));
  await insertAccessGrants(tx, scopeOf(order), order.id, lines, now);
}
