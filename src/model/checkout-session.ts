import { type Static, Type } from 'typebox';
import { cents, currencyCode, livemode, metadata, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';
import type { OrderItem, OrderPricing } from './order.ts';
import { taxDetailSchema } from './sale.ts';

/**
 * A checkout session's life:
 *
 *   pending ──(its order is paid, however late)──▶ completed
 *      ├────(15 minutes pass)──▶ expired ──(paid late)──▶ completed
 *      └────(merchant cancels)──▶ cancelled
 *
 * Only facts are stored; `statusOfCheckoutSession` reads the state out of them and the clock.
 */
export const checkoutStatuses = ['pending', 'completed', 'expired', 'cancelled'] as const;
type CheckoutStatus = (typeof checkoutStatuses)[number];

export const checkoutLifeSeconds = 15 * 60;
/** How long after completion the page still hands out access tokens. */
export const tokensShownSeconds = 24 * 3600;

export const checkoutModes = ['redirect', 'iframe'] as const;
export const checkoutThemes = ['light', 'dark', 'auto'] as const;

export interface CheckoutSessionRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  token: string;
  source: 'checkout' | 'payment_link';
  form_token: string | null;
  api_key_id: string | null;
  /** Asked for by a web page or a link: anybody can cause it. */
  is_public: boolean;
  product_id: string | null;
  amount_cents: number;
  tax_amount_cents: number;
  discount_amount_cents: number;
  discount_id: string | null;
  currency: string;
  items: OrderItem[];
  pricing: OrderPricing | null;
  customer_email: string | null;
  customer_name: string | null;
  customer_phone: string | null;
  customer_address: string | null;
  success_url: string | null;
  cancel_url: string | null;
  checkout_mode: (typeof checkoutModes)[number];
  checkout_theme: (typeof checkoutThemes)[number];
  checkout_accent_color: string;
  metadata: Record<string, unknown>;
  order_id: string | null;
  expires_at: Date;
  completed_at: Date | null;
  cancelled_at: Date | null;
  expired_event_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

export const checkoutSessionSchema = Type.Object(
  {
    object: objectName('checkout_session'),
    livemode,
    id: uuid('Checkout session'),
    token: Type.String({ description: 'The secret in its address' }),
    checkout_url: Type.String({ description: 'Where to send the customer' }),
    status: oneOf(checkoutStatuses),
    expires_at: timestamp('When it ends'),
    amount_cents: cents('Total to pay'),
    tax_amount_cents: cents('Tax within the total'),
    tax_details: Type.Array(taxDetailSchema),
    discount_amount_cents: cents('Discount already taken off'),
    currency: currencyCode,
    product_id: nullable(uuid('Product')),
    order_id: nullable(uuid('Order, once somebody has looked at the page')),
    customer_email: nullable(Type.String()),
    customer_name: nullable(Type.String()),
    customer_phone: nullable(Type.String()),
    customer_address: nullable(Type.String()),
    success_url: nullable(Type.String()),
    cancel_url: nullable(Type.String()),
    checkout_mode: oneOf(checkoutModes),
    checkout_theme: oneOf(checkoutThemes),
    checkout_accent_color: Type.String(),
    privapaid_enabled: Type.Boolean({ description: 'Whether buying gives access tokens' }),
    metadata,
    completed_at: nullable(timestamp('When it was paid')),
    created_at: timestamp('When it was made'),
    updated_at: timestamp('When it last changed'),
  },
  { description: 'A checkout session' },
);
type CheckoutSession = Static<typeof checkoutSessionSchema>;

/** Read from facts against the clock; a payment wins over everything, a cancelled session never expires. */
export function statusOfCheckoutSession(
  row: Pick<CheckoutSessionRow, 'completed_at' | 'cancelled_at' | 'expires_at'>,
  now: Date,
): CheckoutStatus {
  if (row.completed_at) return 'completed';
  if (row.cancelled_at) return 'cancelled';
  return row.expires_at <= now ? 'expired' : 'pending';
}

/** @param payUrl where checkout pages live, without a slash at the end. */
export const checkoutUrl = (token: string, payUrl: string): string => `${payUrl}/checkout/${token}`;

export function toCheckoutSession(
  row: CheckoutSessionRow,
  context: { payUrl: string; privapaidEnabled: boolean; now: Date },
): CheckoutSession {
  return {
    object: 'checkout_session',
    livemode: row.livemode,
    id: row.id,
    token: row.token,
    checkout_url: checkoutUrl(row.token, context.payUrl),
    status: statusOfCheckoutSession(row, context.now),
    expires_at: row.expires_at.toISOString(),
    amount_cents: row.amount_cents,
    tax_amount_cents: row.tax_amount_cents,
    tax_details: row.pricing?.tax_details ?? [],
    discount_amount_cents: row.discount_amount_cents,
    currency: row.currency,
    product_id: row.product_id,
    order_id: row.order_id,
    customer_email: row.customer_email,
    customer_name: row.customer_name,
    customer_phone: row.customer_phone,
    customer_address: row.customer_address,
    success_url: row.success_url,
    cancel_url: row.cancel_url,
    checkout_mode: row.checkout_mode,
    checkout_theme: row.checkout_theme,
    checkout_accent_color: row.checkout_accent_color,
    privapaid_enabled: context.privapaidEnabled,
    metadata: row.metadata,
    completed_at: row.completed_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Body of `checkout.completed`, which is flat: its members stand where other kinds have `data`. */
export const checkoutCompletedSchema = Type.Object({
  checkout_id: uuid('Checkout session'),
  payment_hash: nullable(Type.String({ description: 'Of the payment that completed it; null for a checkout of 0' })),
  amount_sats: Type.Integer({
    description: 'What arrived, in satoshis; of an order that was paid in parts, all of them',
  }),
  amount_usd: Type.String({ description: 'Its value in US dollars at the rate of the payment, a decimal string' }),
  metadata,
  timestamp: timestamp('When it was paid'),
});
