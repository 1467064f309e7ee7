import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import type { OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { addUpReceived } from '../model/received.ts';
import { scopeOf } from '../model/scope.ts';
import { markCheckoutCompleted } from '../store/checkout-sessions.ts';
import { findPaymentsUpTo } from '../store/payments.ts';

/**
 * The session of an order that has just been paid is completed, in the paying transaction and with its event; also one
 * whose time was over. A cancelled one stays cancelled.
 */
export async function completeCheckout(
  tx: Handle,
  order: OrderRow,
  payment: PaymentRow,
  paidAt: Date,
  now: Date,
): Promise<void> {
  if (order.source !== 'checkout' && order.source !== 'payment_link') return;
  const session = await markCheckoutCompleted(tx, order.id, paidAt, now);
  if (!session) return;
  const received = addUpReceived(await findPaymentsUpTo(tx, payment.id), order.currency);
  const data = {
    checkout_id: session.id,
    payment_hash: payment.payment_hash,
    // Whoever ships on this event compares it with the whole price: of an order that was paid in parts, all of them.
    amount_sats: received.amount_sats ?? 0,
    amount_usd: received.usd_value ?? '0.00',
    metadata: session.metadata,
    timestamp: paidAt.toISOString(),
  };
  await recordEvents(tx, scopeOf(session), [{ kind: 'checkout.completed', subjectId: session.id, data }], now);
}
