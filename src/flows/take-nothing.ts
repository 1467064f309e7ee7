import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { newId } from '../kernel/ids.ts';
import { type OrderRow, toOrder } from '../model/order.ts';
import { type PaymentRow, toPayment } from '../model/payment.ts';
import { insertPayment } from '../store/payments.ts';
import { completeOrder } from './complete-order.ts';

/** An order of 0: nothing is asked of a wallet, and a payment of 0 sats says that all is paid. */
export async function takeNothing(tx: Handle, order: OrderRow, now: Date): Promise<OrderRow> {
  const payment: PaymentRow = {
    id: newId(),
    merchant_id: order.merchant_id,
    livemode: order.livemode,
    order_id: order.id,
    invoice_id: null,
    payment_hash: null,
    kind: 'lightning',
    wallet_id: null,
    channel_id: order.channel_id,
    amount_sats: 0,
    amount_cents: 0,
    currency: order.currency,
    preimage: null,
    evidence: null,
    btc_usd_price: order.btc_usd_price,
    btc_fiat_price: order.btc_fiat_price,
    usd_value: '0.00',
    fiat_value: '0.00',
    usd_variance_cents: 0,
    fiat_variance_cents: 0,
    variance_percentage: '0.00',
    metadata: {},
    confirmed_at: now,
    settled_at: now,
    created_at: now,
    updated_at: now,
  };
  await insertPayment(tx, payment);
  const paid = await completeOrder(tx, order, payment, { paidAt: now, cashPaidAt: null, attention: null, now });
  await recordEvents(
    tx,
    { merchantId: order.merchant_id, livemode: order.livemode },
    [
      { kind: 'payment.confirmed', subjectId: payment.id, data: toPayment(payment) },
      { kind: 'order.paid', subjectId: order.id, data: toOrder(paid) },
    ],
    now,
  );
  return paid;
}
