import type { ReceiptView } from '../model/receipt-view.ts';
import { addUpReceived } from '../model/received.ts';
import { receiptUrl } from '../model/sale.ts';
import { scopeOf } from '../model/scope.ts';
import { findMerchant } from '../store/merchants.ts';
import { findOrder } from '../store/orders.ts';
import { findPaymentsUpTo } from '../store/payments.ts';
import { findSaleByReceipt } from '../store/sales.ts';
import type { Parts } from './parts.ts';

/** The receipt of a sale; undefined for an unknown token. Whoever has the token may see it. */
export async function showReceipt(parts: Parts, token: string): Promise<ReceiptView | undefined> {
  const sale = await findSaleByReceipt(parts.db, token);
  if (!sale) return undefined;
  const scope = scopeOf(sale);
  const [merchant, order, payments] = await Promise.all([
    findMerchant(parts.db, sale.merchant_id),
    findOrder(parts.db, scope, sale.order_id),
    findPaymentsUpTo(parts.db, sale.payment_id),
  ]);
  const payment = payments.at(-1);
  return {
    url: receiptUrl(sale.receipt_token, parts.links.payUrl),
    livemode: sale.livemode,
    status: sale.status,
    merchant: { name: merchant!.name, logoUrl: merchant!.logo_url, timeZone: merchant!.time_zone },
    orderNumber: order!.order_number,
    paidAt: sale.sold_at,
    currency: sale.currency,
    lines: sale.items.map(({ name, qty, price_cents, line_total_cents, tax_rate, tax_amount_cents }) => ({
      name,
      qty,
      price_cents,
      line_total_cents,
      tax_rate,
      tax_amount_cents,
    })),
    subtotalCents: sale.subtotal_cents,
    discountCents: sale.discount_cents,
    discountName: sale.discount_name,
    taxCents: sale.tax_cents,
    taxDetails: sale.tax_details,
    totalCents: sale.total_cents,
    refundedCents: sale.refunded_cents,
    paymentMethod: sale.payment_method,
    amountSats: addUpReceived(payments, sale.currency).amount_sats,
    exchangeRate: payment?.btc_fiat_price ?? null,
    paymentHash: payment?.payment_hash ?? null,
    preimage: payment?.preimage ?? null,
    accentColor: merchant!.checkout_accent_color,
    theme: merchant!.checkout_theme as ReceiptView['theme'],
  };
}
