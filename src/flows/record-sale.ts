import type { Handle } from '../db/database.ts';
import { newId, randomBase62 } from '../kernel/ids.ts';
import { shareOut } from '../kernel/share.ts';
import { withAdjustment } from '../model/adjustment.ts';
import type { OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { receivedSats } from '../model/received.ts';
import type { SaleItem, SaleRow } from '../model/sale.ts';
import { scopeOf } from '../model/scope.ts';
import { findMerchant } from '../store/merchants.ts';
import { listPaymentsOfOrder } from '../store/payments.ts';
import { hasPhysicalProduct } from '../store/products.ts';
import { insertSale } from '../store/sales.ts';
import { conversionFeeCents } from './quote-bitcoin.ts';

/** Records the sale of an order that has just been paid, in the paying transaction. Lines come from the order's items. */
export async function recordSale(tx: Handle, order: OrderRow, payment: PaymentRow, now: Date): Promise<void> {
  const [merchant, payments] = await Promise.all([
    findMerchant(tx, order.merchant_id),
    listPaymentsOfOrder(tx, order.id),
  ]);
  const feePercent = order.conversion_fee_percent ?? merchant!.conversion_fee_percent;
  const isCash = payment.kind === 'cash';
  const { subtotal, items } = saleLines(order, receivedSats(payments));
  const sale: SaleRow = {
    id: newId(),
    merchant_id: order.merchant_id,
    livemode: order.livemode,
    order_id: order.id,
    payment_id: payment.id,
    status: 'paid',
    source: order.source,
    payment_method: payment.kind,
    currency: order.currency,
    subtotal_cents: subtotal,
    discount_cents: order.discount_amount_cents,
    discount_name: order.pricing?.discount_name ?? null,
    tax_cents: order.tax_amount_cents,
    tax_details: order.pricing?.tax_details ?? [],
    conversion_fee_percent: isCash ? '0' : feePercent,
    conversion_fee_cents: isCash ? 0 : conversionFeeCents(order.total_amount_cents, feePercent),
    total_cents: order.total_amount_cents,
    refunded_cents: 0,
    items,
    customer_name: order.customer_name,
    receipt_token: `rcp_${randomBase62(24)}`,
    delivery_status: (await needsDelivery(tx, order)) ? 'pending' : 'not_required',
    shipped_at: null,
    delivered_at: null,
    ordered_at: order.created_at,
    sold_at: payment.settled_at,
    created_at: now,
    updated_at: now,
  };
  await insertSale(tx, sale);
}

/** The lines of a sale and their sum. */
function saleLines(order: OrderRow, arrivedSats: number): { subtotal: number; items: SaleItem[] } {
  const { items: sold, subtotalCents } = withAdjustment(order);
  const all = sold.map(({ name, qty, price_cents, product_id, sku }) => ({
    name,
    qty,
    price_cents,
    line_total_cents: price_cents * qty,
    product_id: product_id ?? null,
    product_sku: sku ?? null,
  }));
  const weights = all.map(({ line_total_cents }) => Math.max(0, line_total_cents));
  // Priced lines carry the whole tax already; a share for the adjustment would come on top of it.
  const taxes = order.pricing ? [] : shareOut(order.tax_amount_cents, weights);
  const sats = shareOut(arrivedSats, weights);
  const items = all.map((line, index) => ({
    id: newId(),
    ...line,
    tax_rate: null,
    tax_amount_cents: taxes[index] ?? 0,
    product_type_id: null,
    product_type_name: null,
    ...order.pricing?.lines[index],
    total_amount_sats: sats[index] ?? 0,
  }));
  return { subtotal: subtotalCents, items };
}

/** Whether anything bought has to be sent. */
async function needsDelivery(tx: Handle, order: OrderRow): Promise<boolean> {
  const products = order.items.flatMap(({ product_id }) => (product_id ? [product_id] : []));
  return products.length > 0 && hasPhysicalProduct(tx, scopeOf(order), products);
}
