import type { Handle } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import { type CheckoutSessionRow, statusOfCheckoutSession } from '../model/checkout-session.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { lockCheckoutSession, setCheckoutOrder } from '../store/checkout-sessions.ts';
import { findOpenInvoice } from '../store/invoices.ts';
import { toOrderPaidAtOnce } from './confirm-at-once.ts';
import { draftOrder, writeNewOrder } from './new-order.ts';
import { openInvoice } from './open-invoice.ts';
import type { Parts } from './parts.ts';

/** A payer needs about this long, unless the wallet's invoices are shorter: then half of their life has to do. */
const enoughSeconds = 60;

/**
 * The invoice that the page goes on showing; undefined when a new one is needed. One that lasts as long as the session
 * is good to the end: a payer who has scanned it should not find it replaced.
 */
export async function findUsableInvoice(parts: Parts, session: CheckoutSessionRow): Promise<InvoiceRow | undefined> {
  if (!session.order_id) return undefined;
  const now = parts.clock.now();
  const open = await findOpenInvoice(parts.db, session.order_id, now);
  if (!open || open.expires_at <= now) return undefined;
  const secondsLeft = (open.expires_at.getTime() - now.getTime()) / 1000;
  const lifeSeconds = (open.expires_at.getTime() - open.created_at.getTime()) / 1000;
  const isEnough = secondsLeft >= Math.min(enoughSeconds, lifeSeconds / 2);
  return open.held_at || isEnough || open.expires_at >= session.expires_at ? open : undefined;
}

/**
 * The session's order and its usable invoice, made on first need and once, however many pages and pollers come at the
 * same time: the session's lock decides about the order, the invoice protocol about the invoice.
 * @throws {AppError} 410 when the session is over, and what `openInvoice` throws when no wallet can take it now.
 */
export async function openCheckout(
  parts: Parts,
  session: CheckoutSessionRow,
  signal: AbortSignal,
): Promise<{ orderId: string; invoice: InvoiceRow }> {
  const orderId = session.order_id ?? (await makeOrder(parts, session.id));
  const scope = scopeOf(session);
  return { orderId, invoice: await openInvoice(parts, scope, orderId, signal) };
}

async function makeOrder(parts: Parts, sessionId: string): Promise<string> {
  return parts.db.transaction(async (tx) => {
    const now = parts.clock.now();
    const session = (await lockCheckoutSession(tx, sessionId))!;
    if (session.order_id) return session.order_id;
    if (statusOfCheckoutSession(session, now) !== 'pending') throw new AppError('gone', 'This checkout is over');
    const order = await writeCheckoutOrder(tx, parts, session, now);
    return order.id;
  });
}

/** Writes the order of a session that has none, with its event, and ties the two together. */
export async function writeCheckoutOrder(
  tx: Handle,
  parts: Parts,
  session: CheckoutSessionRow,
  now: Date,
): Promise<OrderRow> {
  const order = await draftOrder(
    tx,
    parts.rates,
    {
      totalAmountCents: session.amount_cents,
      taxAmountCents: session.tax_amount_cents,
      discountAmountCents: session.discount_amount_cents,
      discountId: session.discount_id,
      currency: session.currency,
      ...(session.pricing ? { items: session.items, pricing: session.pricing } : { items: session.items }),
      customerEmail: session.customer_email,
      customerName: session.customer_name,
      metadata: session.metadata,
      // Nothing is asked of a wallet for 0, so that a missing rate must not stand in the way.
      quoteLater: session.amount_cents === 0,
    },
    {
      scope: scopeOf(session),
      source: session.source,
      apiKeyId: session.api_key_id,
      now,
    },
  );
  const isFree = order.total_amount_cents === 0;
  await writeNewOrder(tx, order, isFree ? toOrderPaidAtOnce(order, 'lightning', now) : order);
  await setCheckoutOrder(tx, session.id, order.id, now);
  return order;
}
