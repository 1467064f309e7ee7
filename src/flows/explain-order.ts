import type { Handle } from '../db/database.ts';
import type { CheckoutSessionRow } from '../model/checkout-session.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { findCheckoutSessionOfOrder } from '../store/checkout-sessions.ts';
import { listEventsOfSubjects } from '../store/events.ts';
import { listRequestsOfOrder } from '../store/invoice-requests.ts';
import { listInvoicesOfOrder } from '../store/invoices.ts';
import { findOrderForOperator } from '../store/orders.ts';
import { listPaymentsOfOrder } from '../store/payments.ts';
import { findWalletForJob } from '../store/wallets.ts';

/** One thing that happened to an order. */
interface OrderMoment {
  at: Date;
  what: string;
}

interface OrderStory {
  order: OrderRow;
  moments: OrderMoment[];
}

/**
 * The whole life of an order in the sequence it happened: made, wallet asked, invoice looked at, settled, events.
 * @param reference its id, or its number where only one order has it. @returns undefined when there is none.
 */
export async function explainOrder(db: Handle, reference: string, now: Date): Promise<OrderStory | undefined> {
  const order = await findOrderForOperator(db, reference);
  if (!order) return undefined;
  const [invoices, requests, payments, session] = await Promise.all([
    listInvoicesOfOrder(db, order.id, now),
    listRequestsOfOrder(db, order.id),
    listPaymentsOfOrder(db, order.id),
    findCheckoutSessionOfOrder(db, order.id),
  ]);
  const subjects = [order.id, ...invoices.map(({ id }) => id), ...payments.map(({ id }) => id)];
  if (session) subjects.push(session.id);
  const events = await listEventsOfSubjects(db, subjects);
  const walletNames = await namesOfWallets(db, invoices);
  const moments: OrderMoment[] = [
    ...(session ? sessionMoments(session) : []),
    { at: order.created_at, what: orderText(order) },
    ...requests.map((request) => ({
      at: request.created_at,
      what: `a wallet was asked for an invoice of ${request.amount_sats} sats: ${request.state}${request.error ? ` (${request.error.message})` : ''}`,
    })),
    ...invoices.flatMap((invoice) => invoiceMoments(invoice, walletNames.get(invoice.wallet_id) ?? 'a wallet')),
    ...payments.map((payment) => ({ at: payment.confirmed_at, what: paymentText(payment) })),
    ...events.map((event) => ({ at: event.created_at, what: `event ${event.kind} (${event.id})` })),
  ];
  if (order.cancelled_at) moments.push({ at: order.cancelled_at, what: 'the order was cancelled' });
  if (order.paid_at) moments.push({ at: order.paid_at, what: `the order was paid${attentionText(order)}` });
  moments.sort((a, b) => a.at.getTime() - b.at.getTime());
  return { order, moments };
}

async function namesOfWallets(db: Handle, invoices: readonly InvoiceRow[]): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { wallet_id } of invoices) {
    if (!names.has(wallet_id)) names.set(wallet_id, (await findWalletForJob(db, wallet_id))?.name ?? wallet_id);
  }
  return names;
}

function orderText(order: OrderRow): string {
  const rate = order.btc_fiat_price ? ` at ${order.btc_fiat_price} ${order.currency} (${order.rate_source})` : '';
  return `the order was made over ${order.source}: ${order.total_amount_cents} minor units of ${order.currency}, ${order.total_amount_sats} sats${rate}`;
}

function sessionMoments(session: CheckoutSessionRow): OrderMoment[] {
  const name = `checkout session ${session.id}`;
  const origin = session.source === 'payment_link' ? 'a payment link opened' : 'the merchant made';
  const moments = [
    { at: session.created_at, what: `${origin} ${name}, open until ${session.expires_at.toISOString()}` },
  ];
  if (session.expired_event_at) moments.push({ at: session.expired_event_at, what: `${name} had expired unpaid` });
  if (session.cancelled_at) moments.push({ at: session.cancelled_at, what: `${name} was cancelled` });
  if (session.completed_at) moments.push({ at: session.completed_at, what: `${name} was completed` });
  return moments;
}

function attentionText({ attention }: OrderRow): string {
  return attention ? `; it asks for attention: ${attention}` : '';
}

function invoiceMoments(invoice: InvoiceRow, wallet: string): OrderMoment[] {
  const name = `invoice ${invoice.id}`;
  const moments = [
    {
      at: invoice.created_at,
      what: `${wallet} made ${name} of ${invoice.amount_sats} sats (hash ${invoice.payment_hash})`,
    },
  ];
  if (invoice.last_look_at) {
    const times = invoice.look_count === 1 ? 'once' : `${invoice.look_count} times`;
    moments.push({ at: invoice.last_look_at, what: `${wallet} was last asked about ${name}, ${times} so far` });
  }
  if (invoice.held_at) moments.push({ at: invoice.held_at, what: `money for ${name} is on its way` });
  if (invoice.superseded_at) moments.push({ at: invoice.superseded_at, what: `${name} was closed` });
  if (invoice.expired_event_at) moments.push({ at: invoice.expired_event_at, what: `${name} had expired unpaid` });
  if (invoice.paid_at) moments.push({ at: invoice.paid_at, what: `${name} was paid` });
  if (invoice.next_look_at) {
    moments.push({
      at: invoice.next_look_at,
      what: `${wallet} is asked about ${name} again; watched until ${invoice.watch_until.toISOString()}`,
    });
  }
  return moments;
}

function paymentText(payment: PaymentRow): string {
  if (payment.kind === 'cash') return `cash was taken: payment ${payment.id}`;
  const proof = payment.evidence === 'proof' ? 'proved by its preimage' : 'on the word of the wallet';
  return `payment ${payment.id} was recorded: ${payment.amount_sats} sats, ${proof}`;
}
