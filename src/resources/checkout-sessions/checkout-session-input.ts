import type { CheckoutOrigin, CheckoutRequest } from '../../flows/new-checkout.ts';
import { checkoutModes, checkoutThemes } from '../../model/checkout-session.ts';
import {
  centsInput,
  currencyInput,
  emailInput,
  inputObject,
  metadataInput,
  oneOf,
  optional,
  textInput,
  typedInput,
} from '../../model/fields.ts';
import type { Call } from '../../operation/operation.ts';

const members = inputObject({
  amount_cents: optional(centsInput('Total; needed without a product, ignored with one')),
  currency: optional(currencyInput),
  product_id: optional(textInput(200, 'Product id or slug; its price and taxes count')),
  discount_code: optional(typedInput(200, 'Code of a discount; only with a product')),
  customer_email: optional(emailInput),
  customer_name: optional(typedInput(500, 'Shown filled in')),
  customer_phone: optional(textInput(50, 'Shown filled in')),
  customer_address: optional(textInput(1000, 'Shown filled in')),
  success_url: optional(textInput(2048, 'Where the customer goes after paying; `checkout_id` is added')),
  cancel_url: optional(textInput(2048, 'Where the customer goes without paying')),
  checkout_mode: optional(oneOf(checkoutModes, 'redirect: a page of its own; iframe: within a page of yours')),
  checkout_theme: optional(oneOf(checkoutThemes, 'auto: what the customer’s device prefers')),
  checkout_accent_color: optional(textInput(7, 'Colour as #rrggbb')),
  metadata: optional(metadataInput),
});

export const checkoutSessionBody = inputObject({ checkout_session: members });

interface Members {
  amount_cents?: number | null;
  currency?: string | null;
  product_id?: string | null;
  discount_code?: string | null;
  customer_email?: string | null;
  customer_name?: string | null;
  customer_phone?: string | null;
  customer_address?: string | null;
  success_url?: string | null;
  cancel_url?: string | null;
  checkout_mode?: CheckoutRequest['mode'];
  checkout_theme?: CheckoutRequest['theme'];
  checkout_accent_color?: string | null;
  metadata?: Record<string, unknown> | null;
}

export function toCheckoutRequest(session: Members): CheckoutRequest {
  return {
    amountCents: session.amount_cents,
    currency: session.currency,
    product: session.product_id,
    discountCode: session.discount_code,
    customerEmail: session.customer_email,
    customerName: session.customer_name,
    customerPhone: session.customer_phone,
    customerAddress: session.customer_address,
    successUrl: session.success_url,
    cancelUrl: session.cancel_url,
    mode: session.checkout_mode,
    theme: session.checkout_theme,
    accentColor: session.checkout_accent_color,
    metadata: session.metadata,
  };
}

export function originOf({ scope, caller, now }: Call): CheckoutOrigin {
  const { credentialId: apiKeyId } = caller;
  return { scope, source: 'checkout', apiKeyId, now, isPublic: caller.kind === 'publishable' };
}
