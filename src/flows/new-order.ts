import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import type { Scope } from '../kernel/context.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { newId } from '../kernel/ids.ts';
import {
  type OrderItem,
  type OrderPricing,
  type OrderRow,
  type OrderSource,
  type TenderType,
  toOrder,
} from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { findMerchant } from '../store/merchants.ts';
import { insertOrder, nextOrderNumber } from '../store/orders.ts';
import { checkVolume } from './check-volume.ts';
import type { RatesByMode } from './parts.ts';
import { quoteBitcoin, quotedMembers, quoteIfPossible } from './quote-bitcoin.ts';
import { type OrderTerms, readSentTerms, type SentItem } from './read-sent-terms.ts';

/** What a door asks for; amounts in minor units of `currency`. Totals stand as sent: items need not add up. */
export type OrderRequest = OrderMembers & (SentItems | PricedItems);

/** What they and the discount name in the catalog is looked up. */
interface SentItems {
  items: readonly SentItem[];
  pricing?: undefined;
}

/** What the service worked out itself: nothing is looked up again. */
interface PricedItems {
  items: OrderItem[];
  pricing: OrderPricing;
}

interface OrderMembers {
  totalAmountCents: number;
  taxAmountCents?: number | null | undefined;
  discountAmountCents?: number | null | undefined;
  currency?: string | null | undefined;
  tenderType?: TenderType | null | undefined;
  customerEmail?: string | null | undefined;
  customerName?: string | null | undefined;
  poNumber?: string | null | undefined;
  channelId?: string | null | undefined;
  discountId?: string | null | undefined;
  /** Only this wallet may take the payment. */
  walletId?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  /** For an order that is paid later: it may do without a price of bitcoin now. An invoice gets a fresh one. */
  quoteLater?: boolean;
}

interface OrderOrigin {
  scope: Scope;
  source: OrderSource;
  apiKeyId: string | null;
  now: Date;
}

/**
 * Puts an order together, its rate frozen. Nothing is written but the order number, which is taken.
 * @throws {AppError} 404 and 422 for what it names, 503 without a rate.
 */
export async function draftOrder(
  db: Handle,
  rates: RatesByMode,
  request: OrderRequest,
  origin: OrderOrigin,
): Promise<OrderRow> {
  const { scope, now } = origin;
  // What is billed to a subscriber was agreed before: its invoices are the subscriber's to ask for.
  const needsVolume = request.tenderType !== 'cash' && !request.quoteLater;
  const [found, orderNumber] = await Promise.all([
    findMerchant(db, scope.merchantId),
    nextOrderNumber(db, scope),
    needsVolume ? checkVolume(db, rates, scope, now) : undefined,
  ]);
  const merchant = found!;
  const currency = parseCurrency(request.currency) ?? merchant.currency;
  const terms = await termsOf(db, request, currency, origin);
  const tender = request.tenderType ?? 'bitcoin';
  const quoteRequest = {
    amountCents: request.totalAmountCents,
    currency,
    livemode: scope.livemode,
    feePercent: merchant.conversion_fee_percent,
  };
  const quote =
    tender === 'cash' || request.quoteLater ? quoteIfPossible(rates, quoteRequest) : quoteBitcoin(rates, quoteRequest);
  return {
    id: newId(),
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    order_number: orderNumber,
    status: 'pending',
    attention: null,
    tender_type: tender,
    source: origin.source,
    currency,
    total_amount_cents: request.totalAmountCents,
    tax_amount_cents: terms.taxCents,
    discount_amount_cents: terms.discountCents,
    items: terms.items,
    pricing: terms.pricing,
    customer_email: request.customerEmail ?? null,
    customer_name: request.customerName ?? null,
    po_number: request.poNumber ?? orderNumber,
    channel_id: request.channelId ?? null,
    discount_id: terms.discountId,
    wallet_id: tender === 'cash' ? null : (request.walletId?.toLowerCase() ?? null),
    wallet_pinned: tender !== 'cash' && Boolean(request.walletId),
    ...quotedMembers(quote, now),
    metadata: request.metadata ?? {},
    version: 1,
    cash_paid_at: null,
    paid_at: null,
    cancelled_at: null,
    api_key_id: origin.apiKeyId,
    created_at: now,
    updated_at: now,
  };
}

async function termsOf(
  db: Handle,
  request: OrderRequest,
  currency: string,
  { scope, now }: OrderOrigin,
): Promise<OrderTerms> {
  const { taxAmountCents, discountAmountCents, discountId = null } = request;
  if (request.pricing) {
    const { items, pricing } = request;
    return { items, pricing, taxCents: taxAmountCents ?? 0, discountCents: discountAmountCents ?? 0, discountId };
  }
  const sent = {
    items: request.items,
    currency,
    totalCents: request.totalAmountCents,
    taxCents: taxAmountCents ?? undefined,
    discountCents: discountAmountCents ?? undefined,
    discountId,
  };
  return readSentTerms(db, scope, sent, now);
}

/**
 * Writes a drafted order and its event. Both statements travel together; the caller's commit decides.
 * @param committed the order as the caller's transaction leaves it, where that pays it at once.
 */
export async function writeNewOrder(tx: Handle, order: OrderRow, committed = order): Promise<void> {
  const scope = scopeOf(order);
  await Promise.all([
    insertOrder(tx, order),
    recordEvents(
      tx,
      scope,
      [{ kind: 'order.created', subjectId: order.id, data: toOrder(committed) }],
      order.created_at,
    ),
  ]);
}
