import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { later } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toOrder } from '../model/order.ts';
import { cancelCheckoutOfOrder } from '../store/checkout-sessions.ts';
import { supersedeOpenInvoice } from '../store/invoices.ts';
import { lockOrder, markOrderAttention, markOrderCancelled } from '../store/orders.ts';
import { findPaymentOfOrder } from '../store/payments.ts';
import { advanceSubscription } from './advance-subscription.ts';

/**
 * pending → cancelled. The open invoice closes but stays watched: money that still arrives is recorded. Cancelling twice
 * is harmless. @throws {AppError} 404, or 409 for a paid order.
 */
export async function cancelOrder(tx: Handle, scope: Scope, orderId: string, askedAt: Date): Promise<void> {
  const order = await lockOrder(tx, scope, orderId);
  if (!order) throw notFound('Order');
  if (order.status === 'cancelled') return;
  const now = later(askedAt, order.updated_at);
  if (!(await markOrderCancelled(tx, orderId, now))) {
    throw new AppError('conflict', `The order is ${order.status}; only a pending order can be cancelled`);
  }
  await supersedeOpenInvoice(tx, orderId, now);
  await cancelCheckoutOfOrder(tx, orderId, now);
  // A period whose order is taken back is forgiven; the subscription goes on.
  await advanceSubscription(tx, order, now);
  // Nothing is owed any more: whatever was paid in part is to be given back.
  const paid = await findPaymentOfOrder(tx, scope, orderId);
  const attention = paid ? 'overpaid' : order.attention;
  if (paid) await markOrderAttention(tx, orderId, 'overpaid', now);
  const data = toOrder({ ...order, status: 'cancelled', attention, updated_at: now });
  await recordEvents(
    tx,
    scope,
    [
      { kind: 'order.cancelled', subjectId: orderId, data },
      ...(paid ? [{ kind: 'order.attention' as const, subjectId: orderId, data, dedupe: newId() }] : []),
    ],
    now,
  );
}
