import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import type { Scope } from '../kernel/context.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { maxAmount } from '../kernel/money.ts';
import {
  type OrderItem,
  type OrderPricing,
  type OrderRow,
  type OrderSource,
  type TenderType,
  toOrder,
} from '../model/order.ts';
import { findMerchant } from '../store/merchants.ts';
import { insertOrder, nextOrderNumber } from '../store/orders.ts';
import { checkVolume } from './check-volume.ts';
import type { RatesByMode } from './parts.ts';
import { quoteBitcoin, quoteIfPossible } from './quote-bitcoin.ts';

/** What a door asks for; amounts in minor units of `currency`. Totals stand as sent: items need not add up. */
export interface OrderRequest {
  totalAmountCents: number;
  taxAmountCents?: number | null | undefined;
  discountAmountCents?: number | null | undefined;
  currency?: string | null | undefined;
  items: OrderItem[];
  tenderType?: TenderType | null | undefined;
  /** What the service worked out itself, where no totals were sent. */
  pricing?: OrderPricing | undefined;
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

export interface OrderOrigin {
  scope: Scope;
  source: OrderSource;
  apiKeyId: string | null;
  now: Date;
}

/** Puts an order together, its rate frozen. Nothing is written but the order number, which is taken. */
export async function draftOrder(
  db: Handle,
  rates: RatesByMode,
  request: OrderRequest,
  origin: OrderOrigin,
): Promise<OrderRow> {
  const { scope, now } = origin;
  checkItems(request.items);
  // What is billed to a subscriber was agreed before: its invoices are the subscriber's to ask for.
  const needsVolume = request.tenderType !== 'cash' && !request.quoteLater;
  const [found, orderNumber] = await Promise.all([
    findMerchant(db, scope.merchantId),
    nextOrderNumber(db, scope),
    needsVolume ? checkVolume(db, rates, scope, now) : undefined,
  ]);
  const merchant = found!;
  const currency = (request.currency ? parseCurrency(request.currency) : undefined) ?? merchant.currency;
  const tender = request.tenderType ?? 'bitcoin';
  const quoteRequest = { amountCents: request.totalAmountCents, currency, livemode: scope.livemode, merchant };
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
    tax_amount_cents: request.taxAmountCents ?? 0,
    discount_amount_cents: request.discountAmountCents ?? 0,
    total_amount_sats: quote?.amountSats ?? 0,
    items: request.items,
    pricing: request.pricing ?? null,
    customer_email: request.customerEmail ?? null,
    customer_name: request.customerName ?? null,
    po_number: request.poNumber ?? orderNumber,
    channel_id: request.channelId ?? null,
    discount_id: request.discountId ?? null,
    wallet_id: tender === 'cash' ? null : (request.walletId ?? null),
    wallet_pinned: tender !== 'cash' && Boolean(request.walletId),
    btc_usd_price: quote?.btcUsdPrice ?? null,
    btc_fiat_price: quote?.btcFiatPrice ?? null,
    rate_source: quote?.rateSource ?? null,
    rate_quoted_at: quote ? now : null,
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

/** Writes a drafted order and its event. Both statements travel together; the caller's commit decides. */
export async function writeNewOrder(tx: Handle, order: OrderRow): Promise<void> {
  const scope = { merchantId: order.merchant_id, livemode: order.livemode };
  await Promise.all([
    insertOrder(tx, order),
    recordEvents(tx, scope, [{ kind: 'order.created', subjectId: order.id, data: toOrder(order) }], order.created_at),
  ]);
}

/** @throws {AppError} when price times quantity, or their sum, is beyond what JSON numbers carry exactly. */
export function checkItems(items: readonly OrderItem[]): void {
  let sum = 0n;
  for (const [index, { price_cents, qty }] of items.entries()) {
    const line = BigInt(price_cents) * BigInt(qty);
    if (line > BigInt(maxAmount)) throw invalid(`items[${index}] price_cents times qty must be at most ${maxAmount}`);
    sum += line;
  }
  if (sum > BigInt(maxAmount)) throw invalid(`items must come to at most ${maxAmount} in all`);
}
