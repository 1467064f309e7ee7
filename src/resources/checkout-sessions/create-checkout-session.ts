import type { Static } from 'typebox';
import { admitPublicCheckout } from '../../flows/admit-public-checkout.ts';
import { takeAllowance } from '../../flows/key-allowance.ts';
import { createCheckout } from '../../flows/new-checkout.ts';
import { AppError } from '../../kernel/errors.ts';
import { checkoutSessionSchema, toCheckoutSession } from '../../model/checkout-session.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { checkoutSessionBody, originOf, toCheckoutRequest } from './checkout-session-input.ts';

const shared = {
  method: 'POST',
  status: 201,
  body: checkoutSessionBody,
  answer: json(checkoutSessionSchema),
  // The rate: for a key whose limits are in another currency.
  fails: ['not_found', 'rate_limited', 'rate_unavailable'],
  idempotency: 'database',
  async run(call: Call, { body }: OperationInput<Static<typeof checkoutSessionBody>>) {
    const request = toCheckoutRequest(body.checkout_session);
    if (call.caller.productsOnly && request.product == null) {
      throw new AppError('forbidden', 'This API key makes checkouts of products only: name one by product_id');
    }
    const origin = originOf(call);
    const make = async () => {
      const made = await createCheckout(call.db, call.parts, request, origin);
      const { amount_cents: amountCents, currency } = made.session;
      await takeAllowance(call, { amountCents, currency });
      return made;
    };
    const visit = { merchantId: call.scope.merchantId, address: call.address, now: call.now };
    const { session, merchant } = origin.isPublic ? await admitPublicCheckout(call.parts, visit, make) : await make();
    const { payUrl } = call.parts.links;
    return toCheckoutSession(session, { payUrl, privapaidEnabled: merchant.privapaid_enabled, now: call.now });
  },
} as const;

/** The door for web pages, and for agents with either kind of key. */
export const createCheckoutSession = operation({
  ...shared,
  name: 'create_checkout_session',
  summary: 'Make a checkout session, also from a web page',
  description:
    'Made with a publishable key, metadata that is given needs order_ref and source, and success_url and cancel_url must lie in the merchant’s allowed_origins; one that is for products only needs product_id.',
  path: '/api/v1/pub/checkout_sessions',
  access: { permission: 'checkout:write', publishable: true },
  tool: {
    description:
      'Make a hosted checkout page for an amount or a product and get its address (checkout_url) to send to the ' +
      'customer. It lives 15 minutes; get_checkout_session tells whether it was paid.',
  },
});

export const createServerCheckoutSession = operation({
  ...shared,
  name: 'create_server_checkout_session',
  summary: 'Make a checkout session to redirect a customer to',
  path: '/api/v1/checkout_sessions',
  access: { permission: 'checkout:write' },
  tool: false,
});

export const createMerchantCheckoutSession = operation({
  ...shared,
  name: 'create_merchant_checkout_session',
  summary: 'The same, beside the merchant’s other resources',
  path: '/api/v1/m/checkout_sessions',
  access: { permission: 'checkout:write' },
  tool: false,
});
