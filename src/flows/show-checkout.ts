import { AppError } from '../kernel/errors.ts';
import type { VisitorPlace } from '../limits/visitor-places.ts';
import { withAdjustment } from '../model/adjustment.ts';
import { type CheckoutSessionRow, statusOfCheckoutSession, tokensShownSeconds } from '../model/checkout-session.ts';
import type { CheckoutView } from '../model/checkout-view.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { MerchantRow } from '../model/merchant.ts';
import type { OrderRow } from '../model/order.ts';
import { receivedSats } from '../model/received.ts';
import { receiptUrl, type SaleRow } from '../model/sale.ts';
import { scopeOf } from '../model/scope.ts';
import { findCheckoutSessionByToken } from '../store/checkout-sessions.ts';
import { markInvoiceViewed } from '../store/invoice-watch.ts';
import { findCurrentInvoice, isHeld } from '../store/invoices.ts';
import { findMerchant } from '../store/merchants.ts';
import { findOrder } from '../store/orders.ts';
import { findPaymentsUpTo } from '../store/payments.ts';
import { findProduct } from '../store/products.ts';
import { findSaleOfOrder } from '../store/sales.ts';
import { invoiceLifeSeconds } from './issue-invoice.ts';
import { listAccessTokens } from './list-access-tokens.ts';
import { findUsableInvoice, openCheckout } from './open-checkout.ts';
import type { Parts } from './parts.ts';
import { isPreimageAskedFor } from './prove-checkout.ts';

export interface CheckoutVisitor {
  /** Where the payer calls from. */
  readonly address: string;
  /** Where the visit is worked on, where it needs a place. */
  readonly place?: VisitorPlace | undefined;
}

/** A page that looks again this soon is not told to the watcher anew. */
const viewedMillis = 2000;

/**
 * What the page of a checkout session shows now; undefined for an unknown token. Order and invoice are made on the way,
 * if they are missing. That somebody looks makes the watcher look more often.
 */
export async function showCheckout(
  parts: Parts,
  token: string,
  visitor: CheckoutVisitor,
): Promise<CheckoutView | undefined> {
  const seen = await findCheckoutSessionByToken(parts.db, token);
  if (!seen) return undefined;
  const merchant = (await findMerchant(parts.db, seen.merchant_id))!;
  if (seen.completed_at) parts.publicQuota.giveBack(placeOf(seen, visitor));
  if (statusOfCheckoutSession(seen, parts.clock.now()) !== 'pending') return viewOf(parts, seen, merchant);
  const outcome = await openForPayer(parts, seen, merchant, visitor);
  // Opening takes its time; what happened meanwhile shows.
  const session = (await findCheckoutSessionByToken(parts.db, token))!;
  return viewOf(parts, session, merchant, outcome);
}

/** The same without making anything, for whoever only wants to know whether there is a page. */
export async function peekAtCheckout(parts: Parts, token: string): Promise<CheckoutView | undefined> {
  const session = await findCheckoutSessionByToken(parts.db, token);
  if (!session) return undefined;
  const invoice = await findUsableInvoice(parts, session);
  const merchant = (await findMerchant(parts.db, session.merchant_id))!;
  return viewOf(parts, session, merchant, invoice ? { invoice } : undefined);
}

type Outcome = { invoice: InvoiceRow } | { held: true } | { unpayable: string; waitSeconds?: number };

async function openForPayer(
  parts: Parts,
  session: CheckoutSessionRow,
  merchant: MerchantRow,
  visitor: CheckoutVisitor,
): Promise<Outcome> {
  if (merchant.status !== 'active') return { unpayable: 'This shop takes no payments at the moment.' };
  const now = parts.clock.now();
  const usable = await findUsableInvoice(parts, session);
  if (usable?.held_at) return { held: true };
  if (usable) {
    await noteViewer(parts, usable, now);
    return { invoice: usable };
  }
  const place = placeOf(session, visitor);
  if (session.is_public) {
    const waitSeconds = parts.publicQuota.take({ ...place, now, lifeSeconds: invoiceLifeSeconds });
    if (waitSeconds > 0) {
      return { unpayable: 'Too many checkouts were opened from here; wait a minute and reload.', waitSeconds };
    }
  }
  try {
    // A payer who goes away stops nothing: the invoice is made and shown to the next look.
    const opening = () => openCheckout(parts, session, parts.stopping);
    const { invoice } = await (visitor.place?.aside(opening) ?? opening());
    await noteViewer(parts, invoice, now);
    return { invoice };
  } catch (error) {
    parts.publicQuota.giveBack(place);
    return outcomeOf(parts, session, error);
  }
}

function placeOf(session: CheckoutSessionRow, { address }: CheckoutVisitor) {
  return { kind: 'invoice' as const, merchantId: session.merchant_id, address, subject: session.id };
}

async function noteViewer(parts: Parts, invoice: InvoiceRow, now: Date): Promise<void> {
  if (invoice.viewed_at && now.getTime() - invoice.viewed_at.getTime() < viewedMillis) return;
  await markInvoiceViewed(parts.db, invoice.id, now);
  parts.db.wake('invoice_due', invoice.id);
}

async function outcomeOf(parts: Parts, session: CheckoutSessionRow, error: unknown): Promise<Outcome> {
  if (!(error instanceof AppError)) throw error;
  switch (error.code) {
    case 'conflict':
      return whyConflict(parts, session);
    case 'gone':
      return { unpayable: 'This checkout is over.' };
    case 'no_wallet':
    case 'amount_exceeds_wallet_limits':
    case 'validation_error':
    case 'volume_exceeded':
      return { unpayable: 'The shop has no wallet that can take this amount now. Nothing was charged.' };
    case 'rate_unavailable':
      return {
        unpayable: 'There is no exchange rate for bitcoin at the moment. Nothing was charged; try again in a minute.',
      };
    case 'wallet_unavailable':
      return {
        unpayable: 'The shop’s wallet does not answer at the moment. Nothing was charged; try again in a minute.',
      };
    default:
      throw error;
  }
}

/** The order takes no payment: paid or cancelled meanwhile, which the view reads by itself, or one of these. */
async function whyConflict(parts: Parts, session: CheckoutSessionRow): Promise<Outcome> {
  const orderId = (await findCheckoutSessionByToken(parts.db, session.token))!.order_id!;
  if (await isHeld(parts.db, orderId)) return { held: true };
  return { unpayable: 'This order is not to be paid here at the moment. Nothing was charged; ask the shop.' };
}

async function viewOf(
  parts: Parts,
  session: CheckoutSessionRow,
  merchant: MerchantRow,
  outcome?: Outcome,
): Promise<CheckoutView> {
  const now = parts.clock.now();
  const scope = scopeOf(session);
  const order = session.order_id ? await findOrder(parts.db, scope, session.order_id) : undefined;
  const status = statusOfCheckoutSession(session, now);
  const invoice = outcome && 'invoice' in outcome ? outcome.invoice : undefined;
  const known = invoice ?? (order ? await findCurrentInvoice(parts.db, order.id, now) : undefined);
  const sale = order?.paid_at ? await findSaleOfOrder(parts.db, order.id) : undefined;
  const state = order?.status === 'cancelled' ? 'cancelled' : stateOf(status, session, known, outcome);
  const priced = order ?? { ...session, total_amount_cents: session.amount_cents };
  return {
    state,
    livemode: session.livemode,
    token: session.token,
    checkoutId: session.id,
    merchant: { name: merchant.name, logoUrl: merchant.logo_url, timeZone: merchant.time_zone },
    currency: priced.currency,
    // What the order says wins: the merchant may have changed it.
    amountCents: priced.total_amount_cents,
    paidCents: priced.total_amount_cents - (invoice?.quoted_cents ?? priced.total_amount_cents),
    amountSats: (await satsPaidInParts(parts, sale)) ?? known?.amount_sats ?? order?.total_amount_sats,
    taxCents: priced.tax_amount_cents,
    discountCents: priced.discount_amount_cents,
    lines: withAdjustment(priced).items.map(({ name, qty, price_cents }) => ({ name, qty, price_cents })),
    taxDetails: priced.pricing?.tax_details ?? [],
    exchangeRate: order?.btc_fiat_price ?? undefined,
    bolt11: state === 'pending' ? invoice?.bolt11 : undefined,
    ...timeLeft(session, invoice, now),
    orderId: order?.id,
    orderNumber: order?.order_number,
    paidAt: session.completed_at ?? undefined,
    redirectUrl:
      status === 'completed' && session.success_url ? withCheckoutId(session.success_url, session.id) : undefined,
    cancelUrl: session.cancel_url ?? undefined,
    receiptUrl: sale ? receiptUrl(sale.receipt_token, parts.links.payUrl) : undefined,
    paymentLinkSlug: await slugOf(parts, session),
    customer: {
      email: session.customer_email,
      name: session.customer_name,
      phone: session.customer_phone,
      address: session.customer_address,
    },
    mode: session.checkout_mode,
    theme: session.checkout_theme,
    accentColor: session.checkout_accent_color,
    allowedOrigins: merchant.allowed_origins,
    ...(state === 'unpayable' && outcome && 'unpayable' in outcome
      ? { unpayableReason: outcome.unpayable, waitSeconds: outcome.waitSeconds }
      : { unpayableReason: undefined }),
    asksForPreimage: !decided.has(state) && known !== undefined && (await isPreimageAskedFor(parts, known)),
    items: status === 'completed' && order ? await accessOf(parts, session, order, merchant, now) : [],
  };
}

/** What the payments of an order brought in together; undefined where one paid all, for what its invoice asked for. */
async function satsPaidInParts(parts: Parts, sale: SaleRow | undefined): Promise<number | undefined> {
  const payments = sale ? await findPaymentsUpTo(parts.db, sale.payment_id) : [];
  return payments.length > 1 ? receivedSats(payments) : undefined;
}

/** States in which nothing is left for the payer to show. */
const decided: ReadonlySet<CheckoutView['state']> = new Set(['paid', 'paid_late', 'held']);

function stateOf(
  status: ReturnType<typeof statusOfCheckoutSession>,
  session: CheckoutSessionRow,
  invoice: InvoiceRow | undefined,
  outcome: Outcome | undefined,
): CheckoutView['state'] {
  if (status === 'completed') return session.completed_at! > session.expires_at ? 'paid_late' : 'paid';
  if (status === 'cancelled') return 'cancelled';
  // Money that is under way outlives the clock of the page.
  if (invoice?.held_at || (outcome && 'held' in outcome)) return 'held';
  if (status === 'expired') return 'expired';
  return outcome && 'unpayable' in outcome ? 'unpayable' : 'pending';
}

function timeLeft(session: CheckoutSessionRow, invoice: InvoiceRow | undefined, now: Date) {
  const ends = [session.expires_at, ...(invoice ? [invoice.expires_at] : [])];
  const endsAt = new Date(Math.min(...ends.map((end) => end.getTime())));
  return { endsAt, secondsLeft: Math.max(0, Math.ceil((endsAt.getTime() - now.getTime()) / 1000)) };
}

/** A fresh session can be had only where the link is still for sale. */
async function slugOf(parts: Parts, session: CheckoutSessionRow): Promise<string | undefined> {
  if (session.source !== 'payment_link' || !session.product_id) return undefined;
  const scope = scopeOf(session);
  const product = await findProduct(parts.db, scope, session.product_id);
  return product?.status === 'active' ? product.slug : undefined;
}

/**
 * Access tokens are shown for a day; after that the merchant's server knows them. The day begins when the session was
 * completed here, which is its last change: `completed_at` is the payment's time, and that may be noticed late.
 */
async function accessOf(
  parts: Parts,
  session: CheckoutSessionRow,
  order: OrderRow,
  merchant: MerchantRow,
  now: Date,
): Promise<CheckoutView['items']> {
  if (!merchant.privapaid_enabled) return [];
  if (now.getTime() - session.updated_at.getTime() > tokensShownSeconds * 1000) return [];
  return listAccessTokens(parts, order);
}

/**
 * Everything stays byte for byte, or signed addresses would break; an earlier `checkout_id` gives way, and the fragment
 * stays last.
 */
export function withCheckoutId(successUrl: string, checkoutId: string): string {
  const hash = successUrl.indexOf('#');
  const [address, fragment] = hash < 0 ? [successUrl, ''] : [successUrl.slice(0, hash), successUrl.slice(hash)];
  const mark = address.indexOf('?');
  const [path, query] = mark < 0 ? [address, ''] : [address.slice(0, mark), address.slice(mark + 1)];
  const kept = query === '' ? [] : query.split('&').filter((part) => !/^checkout_id(=|$)/.test(part));
  return `${path}?${[...kept, `checkout_id=${checkoutId}`].join('&')}${fragment}`;
}
