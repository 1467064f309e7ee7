import { cancelCheckout } from '../../flows/cancel-checkout.ts';
import { checkoutSessionSchema, toCheckoutSession } from '../../model/checkout-session.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';

const shared = {
  description: 'Its order is cancelled with it; money that still arrives is recorded and flagged.',
  method: 'POST',
  access: { permission: 'checkout:write' },
  params: { id: 'Checkout session' },
  textParams: ['id'],
  answer: json(checkoutSessionSchema),
  fails: ['not_found', 'conflict', 'gone'],
  tool: false,
  idempotency: 'database',
  async run(call: Call, { params }: OperationInput<undefined>) {
    const session = await cancelCheckout(call.db, call.scope, params.id!, call.now);
    call.db.wake('event_recorded', call.scope.merchantId);
    const merchant = (await findMerchant(call.db, session.merchant_id))!;
    const { payUrl } = call.parts.links;
    return toCheckoutSession(session, { payUrl, privapaidEnabled: merchant.privapaid_enabled, now: call.now });
  },
} as const;

export const cancelCheckoutSession = operation({
  ...shared,
  name: 'cancel_checkout_session',
  summary: 'Cancel a checkout session that was not paid',
  path: '/api/v1/m/checkout_sessions/{id}/cancel',
});

export const cancelServerCheckoutSession = operation({
  ...shared,
  name: 'cancel_server_checkout_session',
  summary: 'The same, at the address of the server-side flow',
  path: '/api/v1/checkout_sessions/{id}/cancel',
});
