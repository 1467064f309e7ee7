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
  signedCents,
  timestamp,
  uuid,
} from './fields.ts';
import { type OrderRow, type OrderSource, orderSources } from './order.ts';
import type { PaymentKind, PaymentRow } from './payment.ts';
import { trimmedPercent } from './percent.ts';
import { addUpReceived } from './received.ts';

export const saleStatuses = ['paid', 'partially_refunded', 'refunded'] as const;
const deliveryStatuses = ['not_required', 'pending', 'shipped', 'delivered'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** One line of a sale as it is stored: what was sold and its share of tax and sats. */
export interface SaleItem {
  id: string;
  name: string;
  qty: number;
  price_cents: number;
  line_total_cents: number;
  tax_rate: string | null;
  tax_amount_cents: number;
  product_id: string | null;
  product_sku: string | null;
  product_type_id: string | null;
  product_type_name: string | null;
  total_amount_sats: number;
}

export interface SaleRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  order_id: string;
  payment_id: string | null;
  status: (typeof saleStatuses)[number];
  source: OrderSource;
  payment_method: PaymentKind;
  currency: string;
  subtotal_cents: number;
  discount_cents: number;
  discount_name: string | null;
  tax_cents: number;
  tax_details: TaxDetail[];
  conversion_fee_percent: string;
  conversion_fee_cents: number;
  total_cents: number;
  refunded_cents: number;
  items: SaleItem[];
  customer_name: string | null;
  /** The unguessable part of the receipt's address. */
  receipt_token: string;
  delivery_status: DeliveryStatus;
  shipped_at: Date | null;
  delivered_at: Date | null;
  ordered_at: Date;
  sold_at: Date;
  created_at: Date;
  updated_at: Date;
}

export const taxDetailSchema = Type.Object({
  tax_id: nullable(Type.String()),
  name: Type.String(),
  rate: Type.String({ description: 'Percent, a decimal string' }),
  inclusive: Type.Boolean(),
  amount_cents: cents('Tax'),
});
type TaxDetail = Static<typeof taxDetailSchema>;

const itemSchema = Type.Object({
  id: uuid('Line'),
  name: Type.String(),
  qty: Type.Integer(),
  price_cents: signedCents('Price of one'),
  line_total_cents: signedCents('Price times quantity'),
  tax_rate: nullable(Type.String({ description: 'Percent, a decimal string' })),
  tax_amount_cents: cents('Tax of the line'),
  product_id: nullable(Type.String()),
  product_sku: nullable(Type.String()),
  product_type_id: nullable(Type.String()),
  product_type_name: nullable(Type.String()),
  total_amount_sats: sats('The line’s share of the sats'),
  margin_amount_sats: nullable(Type.Integer()),
  settlement_amount_sats: nullable(Type.Integer()),
});

export const saleSchema = Type.Object(
  {
    object: objectName('sale'),
    livemode,
    id: uuid('Sale'),
    order_id: uuid('Order'),
    order_number: Type.String(),
    merchant_id: uuid('Merchant'),
    status: oneOf(saleStatuses),
    source: oneOf(orderSources, 'Which door the order came through'),
    currency: currencyCode,
    ordered_at: timestamp('When the order was made'),
    sold_at: timestamp('When the order was paid'),
    subtotal_cents: signedCents('Sum of the lines'),
    discount_cents: cents('Discount'),
    discount_id: nullable(Type.String()),
    discount_name: nullable(Type.String()),
    tax_cents: cents('Tax'),
    tax_details: Type.Array(taxDetailSchema),
    conversion_fee_percent: decimalString('Added to the bitcoin price, in percent'),
    conversion_fee_cents: cents('The same as an amount'),
    total_cents: cents('Total'),
    amount_due_cents: cents('Still owed'),
    refunded_cents: cents('Given back'),
    payment_method: oneOf(['lightning', 'cash'] as const),
    payment_id: nullable(uuid('Payment')),
    amount_sats: nullable(sats('What arrived')),
    btc_price_at_order: nullable(decimalString('Price of one bitcoin in the currency')),
    btc_price_at_payment: nullable(decimalString('Price of one bitcoin in the currency')),
    btc_usd_price_at_payment: nullable(decimalString('Price of one bitcoin in US dollars')),
    fiat_value_at_payment: nullable(decimalString('Value in the currency')),
    usd_value_at_payment: nullable(decimalString('Value in US dollars')),
    fiat_variance_cents: nullable(signedCents('Value less what was quoted')),
    usd_variance_cents: nullable(signedCents('Value less what was quoted')),
    variance_percentage: nullable(decimalString('The same in percent')),
    payment_hash: nullable(Type.String()),
    preimage: nullable(Type.String()),
    wallet_id: nullable(uuid('Wallet')),
    wallet_name: nullable(Type.String()),
    api_token_id: nullable(uuid('API token that made the order')),
    customer_name: nullable(Type.String()),
    customer_email: nullable(Type.String()),
    delivery_status: oneOf(deliveryStatuses),
    shipped_at: nullable(timestamp('When it was shipped')),
    delivered_at: nullable(timestamp('When it was delivered')),
    margin_percent: nullable(Type.String()),
    margin_amount_sats: nullable(Type.Integer()),
    settlement_amount_sats: nullable(sats('What the merchant received')),
    metadata,
    receipt_url: nullable(Type.String()),
    items: Type.Array(itemSchema),
    created_at: timestamp('When the sale was recorded'),
    updated_at: timestamp('When the sale last changed'),
  },
  { description: 'A sale: what a paid order sold' },
);
export type Sale = Static<typeof saleSchema>;

/** What stands beside a sale in its shape. */
interface SaleContext {
  order: OrderRow;
  /** The payments that the sale is made of, oldest first; the last one completed it. */
  payments: readonly PaymentRow[];
  walletName: string | null;
  /** Where receipts live, without a slash at the end. */
  payUrl: string;
}

export const receiptUrl = (token: string, payUrl: string): string => `${payUrl}/receipts/${token}`;

/** There is no platform margin: the merchant's own wallet received everything, so margins are null. */
export function toSale(row: SaleRow, { order, payments, walletName, payUrl }: SaleContext): Sale {
  const payment = payments.at(-1);
  const received = addUpReceived(payments, row.currency);
  return {
    object: 'sale',
    livemode: row.livemode,
    id: row.id,
    order_id: row.order_id,
    order_number: order.order_number,
    merchant_id: row.merchant_id,
    status: row.status,
    source: row.source,
    currency: row.currency,
    ordered_at: row.ordered_at.toISOString(),
    sold_at: row.sold_at.toISOString(),
    subtotal_cents: row.subtotal_cents,
    discount_cents: row.discount_cents,
    discount_id: order.discount_id,
    discount_name: row.discount_name,
    tax_cents: row.tax_cents,
    tax_details: row.tax_details,
    conversion_fee_percent: trimmedPercent(row.conversion_fee_percent),
    conversion_fee_cents: row.conversion_fee_cents,
    total_cents: row.total_cents,
    amount_due_cents: 0,
    refunded_cents: row.refunded_cents,
    payment_method: row.payment_method,
    payment_id: row.payment_id,
    amount_sats: received.amount_sats,
    btc_price_at_order: order.btc_fiat_price,
    btc_price_at_payment: payment?.btc_fiat_price ?? null,
    btc_usd_price_at_payment: payment?.btc_usd_price ?? null,
    fiat_value_at_payment: received.fiat_value,
    usd_value_at_payment: received.usd_value,
    fiat_variance_cents: received.fiat_variance_cents,
    usd_variance_cents: received.usd_variance_cents,
    variance_percentage: received.variance_percentage,
    payment_hash: payment?.payment_hash ?? null,
    preimage: payment?.preimage ?? null,
    wallet_id: payment?.wallet_id ?? null,
    wallet_name: walletName,
    api_token_id: order.api_key_id,
    customer_name: row.customer_name,
    customer_email: order.customer_email,
    delivery_status: row.delivery_status,
    shipped_at: row.shipped_at?.toISOString() ?? null,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    margin_percent: null,
    margin_amount_sats: null,
    settlement_amount_sats: received.amount_sats,
    metadata: order.metadata,
    receipt_url: receiptUrl(row.receipt_token, payUrl),
    items: row.items.map((item) => toSaleItem(item, received.amount_sats !== null)),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Member by member: with `...item` an export of a million sales kept some 500 bytes of each until its end (bench, `csv`). */
function toSaleItem(item: SaleItem, hasSats: boolean): Sale['items'][number] {
  return {
    id: item.id,
    name: item.name,
    qty: item.qty,
    price_cents: item.price_cents,
    line_total_cents: item.line_total_cents,
    tax_rate: item.tax_rate,
    tax_amount_cents: item.tax_amount_cents,
    product_id: item.product_id,
    product_sku: item.product_sku,
    product_type_id: item.product_type_id,
    product_type_name: item.product_type_name,
    total_amount_sats: item.total_amount_sats,
    margin_amount_sats: null,
    settlement_amount_sats: hasSats ? item.total_amount_sats : null,
  };
}
