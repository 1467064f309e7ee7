import { AppError, notFound } from '../../kernel/errors.ts';
import { checkoutSessionSchema, statusOfCheckoutSession, toCheckoutSession } from '../../model/checkout-session.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findCheckoutSession } from '../../store/checkout-sessions.ts';
import { findMerchant } from '../../store/merchants.ts';

const shared = {
  description:
    'By its id or by its token. One that expired unpaid answers 410; a late payment makes it readable again.',
  method: 'GET',
  access: { permission: 'checkout:read' },
  params: { id: 'Checkout session' },
  textParams: ['id'],
  answer: json(checkoutSessionSchema),
  fails: ['not_found', 'gone'],
  async run(call: Call, { params }: OperationInput<undefined>) {
    const session = await findCheckoutSession(call.db, call.scope, params.id!);
    if (!session) throw notFound('Checkout session');
    if (statusOfCheckoutSession(session, call.now) === 'expired') {
      throw new AppError('gone', 'This checkout session expired unpaid; make a new one');
    }
    const merchant = (await findMerchant(call.db, session.merchant_id))!;
    const { payUrl } = call.parts.links;
    return toCheckoutSession(session, { payUrl, privapaidEnabled: merchant.privapaid_enabled, now: call.now });
  },
} as const;

export const getCheckoutSession = operation({
  ...shared,
  name: 'get_checkout_session',
  summary: 'Show a checkout session',
  path: '/api/v1/m/checkout_sessions/{id}',
  tool: {
    description: 'See whether a checkout session was paid (status completed) and what it asks for.',
    rename: { id: 'checkout_session_id' },
  },
});

export const getServerCheckoutSession = operation({
  ...shared,
  name: 'get_server_checkout_session',
  summary: 'Show a checkout session; read it before trusting a redirect',
  path: '/api/v1/checkout_sessions/{id}',
  tool: false,
});
