import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { newId } from '../kernel/ids.ts';
import { type OrderRow, toOrder } from '../model/order.ts';
import { type PaymentRow, toPayment } from '../model/payment.ts';
import { sumQuotedPaid } from '../store/invoices.ts';
import { insertPayment } from '../store/payments.ts';
import { completeOrder } from './complete-order.ts';

/**
 * Cash was taken for a pending cash order that this transaction owns: a payment without invoice or preimage, and the
 * order is paid. An open invoice of the order closes; it stays watched.
 */
export async function takeCash(
  tx: Handle,
  order: OrderRow,
  now: Date,
): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const payment: PaymentRow = {
    id: newId(),
    merchant_id: order.merchant_id,
    livemode: order.livemode,
    order_id: order.id,
    invoice_id: null,
    payment_hash: null,
    kind: 'cash',
    wallet_id: null,
    channel_id: order.channel_id,
    amount_sats: null,
    amount_cents: order.total_amount_cents - (await sumQuotedPaid(tx, order.id)),
    currency: order.currency,
    preimage: null,
    evidence: null,
    btc_usd_price: null,
    btc_fiat_price: null,
    usd_value: null,
    fiat_value: null,
    usd_variance_cents: null,
    fiat_variance_cents: null,
    variance_percentage: null,
    metadata: {},
    confirmed_at: now,
    settled_at: now,
    created_at: now,
    updated_at: now,
  };
  await insertPayment(tx, payment);
  const paid = await completeOrder(tx, order, payment, { paidAt: now, cashPaidAt: now, attention: null, now });
  await recordEvents(
    tx,
    { merchantId: order.merchant_id, livemode: order.livemode },
    [
      { kind: 'payment.confirmed', subjectId: payment.id, data: toPayment(payment) },
      { kind: 'order.paid', subjectId: order.id, data: toOrder(paid) },
    ],
    now,
  );
  return { order: paid, payment };
}
