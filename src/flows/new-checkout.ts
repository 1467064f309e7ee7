import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { isHexColour } from '../kernel/colour.ts';
import type { Scope } from '../kernel/context.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { invalid } from '../kernel/errors.ts';
import { newId, randomBase62 } from '../kernel/ids.ts';
import { isWebAddress } from '../kernel/web-address.ts';
import {
  type CheckoutSessionRow,
  checkoutLifeSeconds,
  type checkoutModes,
  type checkoutThemes,
} from '../model/checkout-session.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { findCheckoutSessionByForm, insertCheckoutSession } from '../store/checkout-sessions.ts';
import { findMerchant } from '../store/merchants.ts';
import { completeFreeCheckout } from './free-checkout.ts';
import type { Parts } from './parts.ts';
import { priceOrder } from './price-order.ts';

/** What a door asks for. A product wins over an amount; one of the two is needed. */
export interface CheckoutRequest {
  amountCents?: number | null | undefined;
  currency?: string | null | undefined;
  /** UUID or slug. */
  product?: string | null | undefined;
  discountCode?: string | null | undefined;
  customerEmail?: string | null | undefined;
  customerName?: string | null | undefined;
  customerPhone?: string | null | undefined;
  customerAddress?: string | null | undefined;
  successUrl?: string | null | undefined;
  cancelUrl?: string | null | undefined;
  mode?: (typeof checkoutModes)[number] | null | undefined;
  theme?: (typeof checkoutThemes)[number] | null | undefined;
  accentColor?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
}

export interface CheckoutOrigin {
  scope: Scope;
  source: CheckoutSessionRow['source'];
  apiKeyId: string | null;
  now: Date;
  /** Makes a form that is sent twice one session. */
  formToken?: string | undefined;
  /** Asked for by a web page: what strangers may do is less (docs/checkout.md, "Limits"). */
  isPublic: boolean;
}

/**
 * Makes a checkout session in the caller's transaction. Its order waits until somebody looks at the page; a session of 0
 * is completed at once.
 * @throws {AppError} 404 for an unknown product, 422 naming what is wrong.
 */
export async function createCheckout(
  tx: Handle,
  parts: Parts,
  request: CheckoutRequest,
  origin: CheckoutOrigin,
): Promise<{ session: CheckoutSessionRow; merchant: MerchantRow }> {
  const { scope, now } = origin;
  const merchant = (await findMerchant(tx, scope.merchantId))!;
  checkRequest(request, merchant, origin);
  const priced = await amountsOf(tx, request, merchant, origin);
  const session: CheckoutSessionRow = {
    id: newId(),
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    token: `cs_${randomBase62(32)}`,
    source: origin.source,
    form_token: origin.formToken ?? null,
    api_key_id: origin.apiKeyId,
    is_public: origin.isPublic,
    ...priced,
    customer_email: request.customerEmail ?? null,
    customer_name: request.customerName ?? null,
    customer_phone: request.customerPhone ?? null,
    customer_address: request.customerAddress ?? null,
    success_url: request.successUrl ?? null,
    cancel_url: request.cancelUrl ?? null,
    checkout_mode: request.mode ?? 'redirect',
    checkout_theme: request.theme ?? (merchant.checkout_theme as CheckoutSessionRow['checkout_theme']),
    checkout_accent_color: (request.accentColor ?? merchant.checkout_accent_color).toLowerCase(),
    metadata: request.metadata ?? {},
    order_id: null,
    expires_at: addSeconds(now, checkoutLifeSeconds),
    completed_at: null,
    cancelled_at: null,
    expired_event_at: null,
    created_at: now,
    updated_at: now,
  };
  if (!(await insertCheckoutSession(tx, session))) {
    const earlier = await findCheckoutSessionByForm(tx, session.product_id!, session.form_token!);
    return { session: earlier!, merchant };
  }
  if (session.amount_cents > 0) return { session, merchant };
  return { session: await completeFreeCheckout(tx, parts, session, now), merchant };
}

type Amounts = Pick<
  CheckoutSessionRow,
  | 'product_id'
  | 'amount_cents'
  | 'tax_amount_cents'
  | 'discount_amount_cents'
  | 'discount_id'
  | 'currency'
  | 'items'
  | 'pricing'
>;

async function amountsOf(
  tx: Handle,
  request: CheckoutRequest,
  merchant: MerchantRow,
  { scope, now }: CheckoutOrigin,
): Promise<Amounts> {
  if (request.product) {
    const basket = {
      lines: [{ product: request.product, qty: 1 }],
      discount: request.discountCode ? { code: request.discountCode } : undefined,
    };
    const priced = await priceOrder(tx, scope, basket, now);
    return {
      product_id: priced.products[0]!.id,
      amount_cents: priced.totalCents,
      tax_amount_cents: priced.taxCents,
      discount_amount_cents: priced.discountCents,
      discount_id: priced.discountId,
      currency: priced.currency,
      items: priced.items,
      pricing: priced.pricing,
    };
  }
  const amount = request.amountCents;
  if (amount === null || amount === undefined) throw invalid('amount_cents or product_id is required');
  return {
    product_id: null,
    amount_cents: amount,
    tax_amount_cents: 0,
    discount_amount_cents: 0,
    discount_id: null,
    currency: parseCurrency(request.currency) ?? merchant.currency,
    items: [{ name: `Payment to ${merchant.name}`.slice(0, 500).toWellFormed(), price_cents: amount, qty: 1 }],
    pricing: null,
  };
}

function checkRequest(request: CheckoutRequest, merchant: MerchantRow, { isPublic }: CheckoutOrigin): void {
  const faults: string[] = [];
  for (const [name, url] of [
    ['success_url', request.successUrl],
    ['cancel_url', request.cancelUrl],
  ] as const) {
    if (url != null && !isPlainWebAddress(url)) faults.push(`${name} must be an absolute http(s) address`);
    else if (url && isPublic && !merchant.allowed_origins.includes(new URL(url).origin)) {
      faults.push(`${name} must lie in one of the merchant's allowed_origins`);
    }
  }
  if (request.discountCode && !request.product) faults.push('discount_code counts only with product_id');
  if (request.accentColor != null && !isHexColour(request.accentColor)) {
    faults.push('checkout_accent_color must be a colour as #rrggbb');
  }
  if (isPublic && request.metadata) {
    for (const name of ['order_ref', 'source']) {
      if (typeof request.metadata[name] !== 'string') faults.push(`metadata.${name} is required`);
    }
  }
  if (faults.length > 0) throw invalid(...faults);
}

/** The URL parser forgives blanks and backslashes, so what it forgives is refused before; a name and password never pass. */
function isPlainWebAddress(text: string): boolean {
  return /^https?:\/\/[^/?#\\@]+([/?#]|$)/i.test(text) && !/[\s\\\p{Cc}]/u.test(text) && isWebAddress(text);
}
