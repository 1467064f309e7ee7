import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { later } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { AppError, invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type OrderRow, type OrderSource, toOrder } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { restateCheckoutOfOrder } from '../store/checkout-sessions.ts';
import { sumQuotedPaid, supersedeOpenInvoice } from '../store/invoices.ts';
import { findMerchant } from '../store/merchants.ts';
import { lockOrder, updateOrder } from '../store/orders.ts';
import { findPaymentOfOrder } from '../store/payments.ts';
import { markSaleDelivery } from '../store/sales.ts';
import { checkVolume } from './check-volume.ts';
import { type Completion, completeOrder, toPaidOrder } from './complete-order.ts';
import { completionAtOnce } from './confirm-at-once.ts';
import { changesTerms, mergeOrderChange, type OrderChange } from './merge-order-change.ts';
import type { RatesByMode } from './parts.ts';
import { quoteBitcoin, quotedMembers, quoteIfPossible } from './quote-bitcoin.ts';
import { restateInvoices } from './restate-invoices.ts';
import { takeCash } from './take-cash.ts';
import { takeNothing } from './take-nothing.ts';

/** What of a paid order may still change. */
const changeableWhenPaid = new Set(['metadata', 'po_number']);
/** Null takes these away; for any other member it means "not given". */
const clearedByNull = new Set(['customer_email', 'channel_id', 'discount_id']);

/** Somebody waits before a page for these orders; made at 0 they are paid at once as well. */
const paidAtNothing: ReadonlySet<OrderSource> = new Set<OrderSource>(['checkout', 'payment_link', 'subscription']);

/**
 * Applies an accepted PATCH to an order in the caller's transaction, with `order.updated` (and what follows a cash
 * payment). A changed total, currency, tender or wallet closes the open invoice. @returns the order as committed.
 * @throws {AppError} 404, 409 for what the order's state forbids, 422 for what makes no sense.
 */
export async function changeOrder(
  tx: Handle,
  rates: RatesByMode,
  scope: Scope,
  orderId: string,
  change: OrderChange,
  askedAt: Date,
): Promise<OrderRow> {
  const before = await lockOrder(tx, scope, orderId);
  if (!before) throw notFound('Order');
  const now = later(askedAt, before.updated_at);
  await checkState(tx, before, change);

  const members = await mergeOrderChange(tx, scope, before, change, now);
  let order: OrderRow = { ...before, ...members, updated_at: now };
  const owesDifferently =
    order.total_amount_cents !== before.total_amount_cents ||
    order.currency !== before.currency ||
    order.tender_type !== before.tender_type;
  const isNewInBitcoin = order.tender_type === 'bitcoin' && before.tender_type === 'cash';
  if (isNewInBitcoin && order.source !== 'subscription') await checkVolume(tx, rates, scope, now);
  if (owesDifferently) {
    order = { ...order, ...(await requote(tx, rates, order, now)), version: before.version + 1 };
  } else if (order.wallet_id !== before.wallet_id) {
    order = { ...order, version: before.version + 1 };
  }
  if (order.version !== before.version) await supersedeOpenInvoice(tx, orderId, now);
  if (order.currency !== before.currency) await restateInvoices(tx, rates, order, before.currency, now);
  await updateOrder(tx, orderId, order);
  if (changesTerms(before, change)) await restateCheckoutOfOrder(tx, order, now);
  const end = order.status === 'pending' ? await findEnd(tx, order, change, owesDifferently, now) : undefined;
  const committed = end ? toPaidOrder(order, end) : order;
  // Many updates of one order are many facts.
  await recordEvents(
    tx,
    scope,
    [{ kind: 'order.updated', subjectId: orderId, data: toOrder(committed), dedupe: newId() }],
    now,
  );
  if (change.status === 'shipped' || change.status === 'delivered') {
    await markSaleDelivery(tx, orderId, change.status, now);
  }
  if (end?.cashPaidAt) await takeCash(tx, order, now);
  else if (end) await completeWithoutPayment(tx, order, end);
  return committed;
}

/**
 * How the change pays a pending order: a total that was lowered to what has been paid already leaves nothing due, and one
 * of 0 nothing to wait for; else there may be cash to take.
 */
async function findEnd(
  tx: Handle,
  order: OrderRow,
  change: OrderChange,
  owesDifferently: boolean,
  now: Date,
): Promise<Completion | undefined> {
  const paidCents = owesDifferently ? await sumQuotedPaid(tx, order.id) : 0;
  if (paidCents > 0 && paidCents >= order.total_amount_cents) {
    const attention = paidCents > order.total_amount_cents ? 'overpaid' : null;
    return { paidAt: now, cashPaidAt: null, attention, now };
  }
  const isFree = owesDifferently && order.total_amount_cents === 0 && order.tender_type === 'bitcoin';
  if (isFree && paidAtNothing.has(order.source)) return completionAtOnce('lightning', now);
  return change.status === 'paid' ? completionAtOnce('cash', now) : undefined;
}

async function completeWithoutPayment(tx: Handle, order: OrderRow, end: Completion): Promise<void> {
  const scope = scopeOf(order);
  const payment = await findPaymentOfOrder(tx, scope, order.id);
  if (!payment) return void (await takeNothing(tx, order, end.now));
  const data = toOrder(await completeOrder(tx, order, payment, end));
  await recordEvents(
    tx,
    scope,
    [
      { kind: 'order.paid', subjectId: order.id, data },
      ...(end.attention ? [{ kind: 'order.attention' as const, subjectId: order.id, data, dedupe: payment.id }] : []),
    ],
    end.now,
  );
}

async function checkState(tx: Handle, order: OrderRow, change: OrderChange): Promise<void> {
  const { status } = change;
  if (order.status === 'paid' || order.status === 'refunded') {
    const forbidden = Object.entries(change)
      .filter(([name, value]) => value !== undefined && (value !== null || clearedByNull.has(name)))
      .filter(([name]) => name !== 'status' && !changeableWhenPaid.has(name))
      .map(([name]) => name);
    if (forbidden.length > 0)
      throw new AppError('conflict', `The order is ${order.status}; ${forbidden.join(', ')} cannot change any more`);
    if (status === 'pending' || (status === 'paid' && order.status === 'refunded')) {
      throw new AppError('conflict', `The order is ${order.status} and cannot become ${status}`);
    }
    return;
  }
  if (order.status === 'cancelled') throw new AppError('conflict', 'The order is cancelled and cannot change any more');
  if (status === 'shipped' || status === 'delivered') {
    throw new AppError('conflict', `Only a paid order can be ${status}`);
  }
  if (status === 'paid' && (change.tender_type ?? order.tender_type) !== 'cash') {
    throw invalid('status can only be set to paid on a cash order; bitcoin orders are paid by payments');
  }
  const currency = change.currency ? parseCurrency(change.currency) : order.currency;
  if (currency === order.currency) return;
  if (order.source === 'subscription') {
    throw new AppError('conflict', 'The order is a period of a subscription and keeps the currency of that');
  }
  // A payment may count for nothing, so that their sum does not tell.
  if (await findPaymentOfOrder(tx, scopeOf(order), order.id)) {
    throw new AppError('conflict', 'The currency cannot change after a payment');
  }
}

async function requote(tx: Handle, rates: RatesByMode, order: OrderRow, now: Date): Promise<Partial<OrderRow>> {
  const merchant = (await findMerchant(tx, order.merchant_id))!;
  const request = {
    amountCents: order.total_amount_cents,
    currency: order.currency,
    livemode: order.livemode,
    feePercent: merchant.conversion_fee_percent,
  };
  const quote = order.tender_type === 'cash' ? quoteIfPossible(rates, request) : quoteBitcoin(rates, request);
  return quotedMembers(quote, now);
}
