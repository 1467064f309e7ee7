import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { later } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toOrder } from '../model/order.ts';
import type { RefundRow } from '../model/refund.ts';
import { lockOrder, updateOrder } from '../store/orders.ts';
import { findReceivedCents, insertRefund, takeFromSale } from '../store/refunds.ts';
import { findSale } from '../store/sales.ts';

interface RefundRequest {
  saleId: string;
  amountCents: number;
  note: string | null;
  apiKeyId: string;
}

/**
 * Writes down that a merchant gave money back: bookkeeping, no money moves here. With the last of what arrived the order
 * is refunded, and what it opened is closed.
 * @throws {AppError} 404, or 422 for more than is left of the sale.
 */
export async function refundSale(tx: Handle, scope: Scope, request: RefundRequest, askedAt: Date): Promise<RefundRow> {
  const sale = await findSale(tx, scope, request.saleId);
  if (!sale) throw notFound('Sale');
  const before = (await lockOrder(tx, scope, sale.order_id))!;
  const now = later(askedAt, before.updated_at);
  const received = await findReceivedCents(tx, sale.order_id);
  const status = await takeFromSale(tx, sale.id, request.amountCents, received, now);
  if (!status) throw invalid(`amount_cents is more than what is left of the sale's ${received}`);
  const refund: RefundRow = {
    id: newId(),
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    sale_id: sale.id,
    order_id: sale.order_id,
    amount_cents: request.amountCents,
    currency: sale.currency,
    note: request.note,
    api_key_id: request.apiKeyId,
    created_at: now,
  };
  await insertRefund(tx, refund);
  const order = { ...before, status: status === 'refunded' ? ('refunded' as const) : before.status, updated_at: now };
  await updateOrder(tx, order.id, { status: order.status, updated_at: now });
  await recordEvents(
    tx,
    scope,
    [{ kind: 'order.refunded', subjectId: order.id, data: toOrder(order), dedupe: refund.id }],
    now,
  );
  return refund;
}
