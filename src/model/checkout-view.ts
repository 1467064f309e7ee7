import type { CheckoutSessionRow } from './checkout-session.ts';
import type { TaxLine } from './order.ts';

/** What the checkout page shows; the same data answers its pollers and the agents that ask for JSON. */
export interface CheckoutView {
  readonly state: 'pending' | 'held' | 'paid' | 'paid_late' | 'expired' | 'cancelled' | 'unpayable';
  readonly livemode: boolean;
  readonly token: string;
  readonly checkoutId: string;
  readonly merchant: { readonly name: string; readonly logoUrl: string | null; readonly timeZone: string };
  readonly currency: string;
  readonly amountCents: number;
  /** What earlier invoices of the order have brought in, where one for the rest waits to be paid. */
  readonly paidCents: number;
  /** undefined until an invoice has been made. */
  readonly amountSats: number | undefined;
  readonly taxCents: number;
  readonly discountCents: number;
  readonly lines: readonly CheckoutLine[];
  readonly taxDetails: readonly TaxLine[];
  /** Price of one bitcoin in the currency, a decimal string. */
  readonly exchangeRate: string | undefined;
  /** Lower-case BOLT11 string of the open invoice. */
  readonly bolt11: string | undefined;
  /** By the server's clock; 0 when over. */
  readonly secondsLeft: number;
  /** When the payer has to be done, in UTC. */
  readonly endsAt: Date;
  readonly orderId: string | undefined;
  readonly orderNumber: string | undefined;
  readonly paidAt: Date | undefined;
  /** success_url with `checkout_id`; only of a paid one. */
  readonly redirectUrl: string | undefined;
  readonly cancelUrl: string | undefined;
  readonly receiptUrl: string | undefined;
  /** Slug of the payment link that a fresh session can be had from. */
  readonly paymentLinkSlug: string | undefined;
  readonly customer: {
    readonly email: string | null;
    readonly name: string | null;
    readonly phone: string | null;
    readonly address: string | null;
  };
  readonly mode: CheckoutSessionRow['checkout_mode'];
  readonly theme: CheckoutSessionRow['checkout_theme'];
  readonly accentColor: string;
  /** Sites that may show the page in a frame. */
  readonly allowedOrigins: readonly string[];
  /** Why nothing can be paid now, as a sentence; only when `unpayable`. */
  readonly unpayableReason: string | undefined;
  /** Seconds until this visitor may ask for an invoice again; only when too many were asked for. */
  readonly waitSeconds?: number | undefined;
  /** Whether the payer is asked for the proof of payment, because the wallet does not tell by itself. */
  readonly asksForPreimage: boolean;
  readonly items: readonly CheckoutAccess[];
}

interface CheckoutLine {
  readonly name: string;
  readonly qty: number;
  readonly price_cents: number;
}

/** What a buyer may open, shown for a day after the purchase. */
export interface CheckoutAccess {
  readonly order_item_id: string;
  readonly product_id: string;
  readonly access_token: string;
  readonly access_duration_seconds: number | null;
}
