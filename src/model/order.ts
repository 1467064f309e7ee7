import { type Static, Type } from 'typebox';
import {
  cents,
  currencyCode,
  decimalString,
  livemode,
  metadata,
  nullable,
  objectName,
  oneOf,
  sats,
  timestamp,
  uuid,
} from './fields.ts';

/**
 * An order's life:
 *
 *   pending ──(nothing is due any more, or cash taken)──▶ paid ──(refunded in full)──▶ refunded
 *      └──────(merchant cancels)──▶ cancelled
 *
 * A cancelled order stays cancelled when money arrives: the payment is recorded and `attention` says so.
 */
export const orderStatuses = ['pending', 'paid', 'cancelled', 'refunded'] as const;
type OrderStatus = (typeof orderStatuses)[number];

/** `paid_late`: after the invoice's end, or for one shown in a currency that the order no longer has. */
const orderAttentions = ['paid_late', 'overpaid', 'paid_after_cancel'] as const;
export type OrderAttention = (typeof orderAttentions)[number];

export const tenderTypes = ['bitcoin', 'cash'] as const;
export type TenderType = (typeof tenderTypes)[number];

/** Where an order came from; a sale shows it too. */
export const orderSources = [
  'api',
  'mcp',
  'checkout',
  'payment_link',
  'payment_request',
  'pos',
  'subscription',
] as const;
export type OrderSource = (typeof orderSources)[number];

export interface OrderItem {
  name: string;
  price_cents: number;
  qty: number;
  description?: string;
  sku?: string;
  product_id?: string;
}

/** What the service worked out itself for an order of products, line by line; gone once the merchant sends other totals. */
export interface OrderPricing {
  discount_name: string | null;
  tax_details: { tax_id: string; name: string; rate: string; inclusive: boolean; amount_cents: number }[];
  /** As many as the order has items, in their order. */
  lines: {
    tax_rate: string | null;
    tax_amount_cents: number;
    product_type_id: string | null;
    product_type_name: string | null;
  }[];
}

/** A tax as pages name it. */
export type TaxLine = Pick<OrderPricing['tax_details'][number], 'name' | 'rate' | 'inclusive' | 'amount_cents'>;

export interface OrderRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  order_number: string;
  status: OrderStatus;
  attention: OrderAttention | null;
  tender_type: TenderType;
  source: OrderSource;
  currency: string;
  total_amount_cents: number;
  tax_amount_cents: number;
  discount_amount_cents: number;
  total_amount_sats: number;
  items: OrderItem[];
  pricing: OrderPricing | null;
  customer_email: string | null;
  customer_name: string | null;
  po_number: string;
  channel_id: string | null;
  discount_id: string | null;
  wallet_id: string | null;
  wallet_pinned: boolean;
  btc_usd_price: string | null;
  btc_fiat_price: string | null;
  rate_source: string | null;
  /** The merchant's fee that is in `total_amount_sats`. */
  conversion_fee_percent: string | null;
  /** When the prices above were taken; sats are worked out anew from a fresh price when this is long ago. */
  rate_quoted_at: Date | null;
  metadata: Record<string, unknown>;
  version: number;
  cash_paid_at: Date | null;
  paid_at: Date | null;
  cancelled_at: Date | null;
  api_key_id: string | null;
  created_at: Date;
  updated_at: Date;
}

/** What an answer shows of it, or is needed to find it. */
export const shownOfOrder = [
  'id',
  'merchant_id',
  'livemode',
  'order_number',
  'status',
  'attention',
  'tender_type',
  'currency',
  'total_amount_cents',
  'tax_amount_cents',
  'discount_amount_cents',
  'total_amount_sats',
  'items',
  'customer_email',
  'po_number',
  'channel_id',
  'discount_id',
  'wallet_id',
  'btc_usd_price',
  'btc_fiat_price',
  'rate_source',
  'metadata',
  'cash_paid_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof OrderRow)[];
export type ShownOrder = Pick<OrderRow, (typeof shownOfOrder)[number]>;

export const orderItemSchema = Type.Object({
  name: Type.String(),
  price_cents: cents('Price of one'),
  qty: Type.Integer({ description: 'How many' }),
  description: Type.Optional(Type.String()),
  sku: Type.Optional(Type.String()),
  product_id: Type.Optional(Type.String()),
});

/** The plain order; `model/order-view.ts` adds what shows beside it. */
export const orderFields = {
  object: objectName('order'),
  livemode,
  id: uuid('Order'),
  order_number: Type.String({ description: 'Rising per merchant and mode' }),
  status: oneOf(orderStatuses),
  attention: nullable(oneOf(orderAttentions, 'Why a person should look at this order')),
  total_amount_cents: cents('Total'),
  tax_amount_cents: cents('Tax within the total'),
  discount_amount_cents: cents('Discount already taken off'),
  total_amount_sats: sats('Total at the order’s rate, rounded up'),
  merchant_id: uuid('Merchant'),
  channel_id: nullable(Type.String()),
  discount_id: nullable(Type.String()),
  wallet_id: nullable(uuid('Wallet that takes the payment')),
  tender_type: oneOf(tenderTypes),
  items: Type.Array(orderItemSchema),
  customer_email: nullable(Type.String()),
  po_number: Type.String({ description: 'Your own reference; the order number unless you set one' }),
  btc_usd_price_at_creation: nullable(decimalString('Price of one bitcoin in US dollars')),
  btc_usd_rate_source: nullable(Type.String({ description: 'Who the price came from' })),
  currency: currencyCode,
  btc_fiat_price_at_creation: nullable(decimalString('Price of one bitcoin in the order’s currency')),
  metadata,
  created_at: timestamp('When the order was made'),
  updated_at: timestamp('When the order last changed'),
  cash_paid_at: Type.Optional(timestamp('When cash was taken; only on paid cash orders')),
};

export const orderSchema = Type.Object(orderFields, { description: 'An order' });
export type Order = Static<typeof orderSchema>;

export function toOrder(row: ShownOrder): Order {
  const order: Order = {
    object: 'order',
    livemode: row.livemode,
    id: row.id,
    order_number: row.order_number,
    status: row.status,
    attention: row.attention,
    total_amount_cents: row.total_amount_cents,
    tax_amount_cents: row.tax_amount_cents,
    discount_amount_cents: row.discount_amount_cents,
    total_amount_sats: row.total_amount_sats,
    merchant_id: row.merchant_id,
    channel_id: row.channel_id,
    discount_id: row.discount_id,
    wallet_id: row.wallet_id,
    tender_type: row.tender_type,
    items: row.items,
    customer_email: row.customer_email,
    po_number: row.po_number,
    btc_usd_price_at_creation: row.btc_usd_price,
    btc_usd_rate_source: row.rate_source,
    currency: row.currency,
    btc_fiat_price_at_creation: row.btc_fiat_price,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
  if (row.cash_paid_at) order.cash_paid_at = row.cash_paid_at.toISOString();
  return order;
}
