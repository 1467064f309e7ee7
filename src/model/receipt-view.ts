import type { TaxLine } from './order.ts';

/** What a receipt shows: no e-mail address, nothing secret. */
export interface ReceiptView {
  readonly url: string;
  readonly livemode: boolean;
  readonly status: 'paid' | 'partially_refunded' | 'refunded';
  readonly merchant: { readonly name: string; readonly logoUrl: string | null; readonly timeZone: string };
  readonly orderNumber: string;
  readonly paidAt: Date;
  readonly currency: string;
  readonly lines: readonly ReceiptLine[];
  readonly subtotalCents: number;
  readonly discountCents: number;
  readonly discountName: string | null;
  readonly taxCents: number;
  readonly taxDetails: readonly TaxLine[];
  readonly totalCents: number;
  readonly refundedCents: number;
  readonly paymentMethod: 'lightning' | 'cash';
  readonly amountSats: number | null;
  /** Price of one bitcoin in the currency, a decimal string. */
  readonly exchangeRate: string | null;
  readonly paymentHash: string | null;
  readonly preimage: string | null;
  readonly accentColor: string;
  readonly theme: 'light' | 'dark' | 'auto';
}

interface ReceiptLine {
  readonly name: string;
  readonly qty: number;
  readonly price_cents: number;
  readonly line_total_cents: number;
  readonly tax_rate: string | null;
  readonly tax_amount_cents: number;
}

export function toReceipt(view: ReceiptView) {
  return {
    object: 'receipt' as const,
    livemode: view.livemode,
    url: view.url,
    status: view.status,
    merchant: { name: view.merchant.name },
    order_number: view.orderNumber,
    paid_at: view.paidAt.toISOString(),
    currency: view.currency,
    items: view.lines,
    subtotal_cents: view.subtotalCents,
    discount_cents: view.discountCents,
    discount_name: view.discountName,
    tax_cents: view.taxCents,
    tax_details: view.taxDetails,
    total_cents: view.totalCents,
    refunded_cents: view.refundedCents,
    payment_method: view.paymentMethod,
    amount_sats: view.amountSats,
    exchange_rate: view.exchangeRate,
    payment_hash: view.paymentHash,
    preimage: view.preimage,
  };
}
