import type { Transaction } from '../db/database.ts';
import { type EventFact, recordEvents } from '../events/outbox.ts';
import { earlier, later } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { InvoiceFact } from '../lightning/connector.ts';
import { provesHash } from '../lightning/preimage.ts';
import { type InvoiceRow, toInvoice } from '../model/invoice.ts';
import { type OrderAttention, type OrderRow, toOrder } from '../model/order.ts';
import { type PaymentRow, toPayment } from '../model/payment.ts';
import { scopeOf } from '../model/scope.ts';
import {
  findInvoiceForJob,
  lockInvoiceForJob,
  markInvoicePaid,
  sumQuotedPaid,
  supersedeOpenInvoice,
} from '../store/invoices.ts';
import { findMerchantCurrency } from '../store/merchants.ts';
import { lockOrder, markOrderAttention, updateOrder } from '../store/orders.ts';
import { addPaymentPreimage, findPaymentOfInvoice, insertPayment } from '../store/payments.ts';
import { recordWalletTransaction } from '../store/wallets.ts';
import { completeOrder } from './complete-order.ts';
import type { Parts } from './parts.ts';
import { valueForMerchant, valuesAtPayment } from './value-payment.ts';

export type SettledFact = Extract<InvoiceFact, { state: 'settled' }>;

/**
 * The wallet says an invoice is paid: payment, invoice, order and their events in ONE transaction. However often it is
 * told, by push, poll, status call or restart, in any number of processes, there is one payment; later callers get it.
 */
export async function settlePayment(parts: Parts, invoiceId: string, fact: SettledFact): Promise<PaymentRow> {
  const ended = parts.metrics.settleSeconds.startTimer();
  const payment = await parts.db.transaction((tx) => settle(tx, parts, invoiceId, fact));
  ended();
  parts.db.wake('invoice_changed', invoiceId);
  return payment;
}

async function settle(tx: Transaction, parts: Parts, invoiceId: string, told: SettledFact): Promise<PaymentRow> {
  const now = parts.clock.now();
  // Read unlocked: an invoice never changes its order.
  const seen = await findInvoiceForJob(tx, invoiceId, now);
  if (!seen) throw new Error(`Invoice ${invoiceId} is gone`);
  const scope = scopeOf(seen);
  // Adapters drop a preimage that proves nothing; whoever else tells us of a payment may not have.
  const fact = { ...told, preimage: provesHash(told.preimage, seen.payment_hash) };
  // The wallet's clock may be behind or ahead: nobody pays before there is an invoice, or after the payment was heard of.
  const paidAt = earlier(later(fact.settledAt ?? now, seen.created_at), now);
  // The statements travel together and run in this order: the locks, as flows/README.md has them, before the change.
  const [lockedOrder, lockedInvoice, isFirst, paidCents, currency] = await Promise.all([
    lockOrder(tx, scope, seen.order_id),
    lockInvoiceForJob(tx, invoiceId, now),
    markInvoicePaid(tx, invoiceId, paidAt, now),
    sumQuotedPaid(tx, seen.order_id),
    findMerchantCurrency(tx, scope.merchantId),
  ]);
  if (!isFirst) return knownPayment(tx, invoiceId, fact, now);

  const order = lockedOrder!;
  const invoice = lockedInvoice!;
  const payment = toPaymentRow(parts, order, invoice, fact, paidAt, now);
  const [, outcome] = await Promise.all([
    insertPayment(tx, payment, valueForMerchant(parts.rates, currency, payment)),
    applyToOrder(tx, order, invoice, payment, { paidAt, paidCents, now: later(now, order.updated_at) }),
  ]);
  await recordEvents(tx, scope, eventsOf(invoice, payment, outcome, paidAt, now), now);
  tx.afterCommit(() => {
    recordWalletTransaction(parts.db, invoice.wallet_id, paidAt).catch((error) =>
      parts.log.warn({ err: error }, 'a wallet’s last transaction was not recorded'),
    );
  });
  return payment;
}

/** Paid before: the same answer, enriched by a preimage that the wallet did not show the first time. */
async function knownPayment(tx: Transaction, invoiceId: string, fact: SettledFact, now: Date): Promise<PaymentRow> {
  const payment = (await findPaymentOfInvoice(tx, invoiceId))!;
  if (fact.preimage === undefined || payment.preimage !== null) return payment;
  await addPaymentPreimage(tx, invoiceId, fact.preimage, now);
  return { ...payment, preimage: fact.preimage, evidence: 'proof', updated_at: now };
}

function toPaymentRow(
  parts: Parts,
  order: OrderRow,
  invoice: InvoiceRow,
  fact: SettledFact,
  paidAt: Date,
  now: Date,
): PaymentRow {
  // What arrived counts as paid even when the wallet kept a fee of it; a part of a sat is not recorded.
  const amountSats = fact.receivedMsat === undefined ? invoice.amount_sats : Number(fact.receivedMsat / 1000n);
  return {
    id: newId(),
    merchant_id: invoice.merchant_id,
    livemode: invoice.livemode,
    order_id: invoice.order_id,
    invoice_id: invoice.id,
    payment_hash: invoice.payment_hash,
    kind: 'lightning',
    wallet_id: invoice.wallet_id,
    channel_id: order.channel_id,
    amount_sats: amountSats,
    amount_cents: invoice.quoted_cents,
    currency: order.currency,
    preimage: fact.preimage ?? null,
    evidence: fact.preimage === undefined ? 'word' : 'proof',
    ...valuesAtPayment(parts.rates, order.currency, invoice, amountSats),
    metadata: {},
    confirmed_at: now,
    settled_at: paidAt,
    created_at: now,
    updated_at: now,
  };
}

interface OrderOutcome {
  order: OrderRow;
  becamePaid: boolean;
  attention: OrderAttention | null;
}

async function applyToOrder(
  tx: Transaction,
  order: OrderRow,
  invoice: InvoiceRow,
  payment: PaymentRow,
  { paidAt, paidCents, now }: { paidAt: Date; paidCents: number; now: Date },
): Promise<OrderOutcome> {
  const flag = async (attention: OrderAttention | null): Promise<OrderOutcome> => {
    if (attention === null) return { order, becamePaid: false, attention };
    await markOrderAttention(tx, order.id, attention, now);
    return { order: { ...order, attention, updated_at: now }, becamePaid: false, attention };
  };
  if (order.status !== 'pending') return flag(order.status === 'cancelled' ? 'paid_after_cancel' : 'overpaid');

  const due = order.total_amount_cents - paidCents;
  const receivedMore = payment.amount_sats! > invoice.amount_sats;
  const late = paidAt > invoice.expires_at || invoice.restated_at !== null;
  const attention = receivedMore || due < 0 ? 'overpaid' : late ? 'paid_late' : null;
  if (due > 0) {
    // Less is due than any other invoice of the order asks for, open or being asked for: nobody should pay that.
    await supersedeOpenInvoice(tx, order.id, now);
    await updateOrder(tx, order.id, { version: order.version + 1 });
    return flag(attention);
  }
  const paid = await completeOrder(tx, order, payment, { paidAt, cashPaidAt: null, attention, now });
  return { order: paid, becamePaid: true, attention };
}

function eventsOf(
  invoiceBefore: InvoiceRow,
  payment: PaymentRow,
  outcome: OrderOutcome,
  paidAt: Date,
  now: Date,
): EventFact[] {
  const invoice = toInvoice({ ...invoiceBefore, status: 'paid', paid_at: paidAt, held_at: null, updated_at: now }, now);
  const order = toOrder(outcome.order);
  const paymentShape = toPayment(payment);
  return [
    { kind: 'invoice.paid', subjectId: invoice.id, data: invoice },
    { kind: 'payment.received', subjectId: payment.id, data: paymentShape },
    { kind: 'payment.confirmed', subjectId: payment.id, data: paymentShape },
    ...(outcome.becamePaid ? [{ kind: 'order.paid' as const, subjectId: order.id, data: order }] : []),
    ...(outcome.attention
      ? [{ kind: 'order.attention' as const, subjectId: order.id, data: order, dedupe: invoice.id }]
      : []),
  ];
}
