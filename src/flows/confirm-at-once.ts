import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { newId } from '../kernel/ids.ts';
import { type OrderRow, toOrder } from '../model/order.ts';
import { type PaymentKind, type PaymentRow, toPayment } from '../model/payment.ts';
import { scopeOf } from '../model/scope.ts';
import { insertPayment } from '../store/payments.ts';
import { type Completion, completeOrder, toPaidOrder } from './complete-order.ts';

type Terms = Pick<
  PaymentRow,
  | 'kind'
  | 'amount_sats'
  | 'amount_cents'
  | 'btc_usd_price'
  | 'btc_fiat_price'
  | 'usd_value'
  | 'fiat_value'
  | 'usd_variance_cents'
  | 'fiat_variance_cents'
  | 'variance_percentage'
>;

/** An order as `confirmAtOnce` leaves it. */
export function toOrderPaidAtOnce(order: OrderRow, kind: PaymentKind, now: Date): OrderRow {
  return toPaidOrder(order, completionAtOnce(kind, now));
}

/** What completes an order in the very call: cash, or nothing to pay. */
export function completionAtOnce(kind: PaymentKind, now: Date): Completion {
  return { paidAt: now, cashPaidAt: kind === 'cash' ? now : null, attention: null, now };
}

/**
 * A payment that needs no wallet to say so, and pays an order which this transaction owns: without invoice, hash or
 * preimage. Records `payment.confirmed`, then `order.paid`.
 */
export async function confirmAtOnce(
  tx: Handle,
  order: OrderRow,
  terms: Terms,
  now: Date,
): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const payment: PaymentRow = {
    ...terms,
    id: newId(),
    merchant_id: order.merchant_id,
    livemode: order.livemode,
    order_id: order.id,
    invoice_id: null,
    payment_hash: null,
    wallet_id: null,
    channel_id: order.channel_id,
    currency: order.currency,
    preimage: null,
    evidence: null,
    metadata: {},
    confirmed_at: now,
    settled_at: now,
    created_at: now,
    updated_at: now,
  };
  await insertPayment(tx, payment);
  const paid = await completeOrder(tx, order, payment, completionAtOnce(terms.kind, now));
  await recordEvents(
    tx,
    scopeOf(order),
    [
      { kind: 'payment.confirmed', subjectId: payment.id, data: toPayment(payment) },
      { kind: 'order.paid', subjectId: order.id, data: toOrder(paid) },
    ],
    now,
  );
  return { order: paid, payment };
}
