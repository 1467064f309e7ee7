import { timestamp, word } from '../../kernel/filters.ts';
import { checkoutSessionSchema, checkoutStatuses, toCheckoutSession } from '../../model/checkout-session.ts';
import { type Call, listOf, type OperationInput, operation } from '../../operation/operation.ts';
import { listCheckoutSessions as list } from '../../store/checkout-sessions.ts';
import { findMerchant } from '../../store/merchants.ts';

const shared = {
  method: 'GET',
  access: { permission: 'checkout:read' },
  query: {
    paged: true,
    filters: {
      status: word(...checkoutStatuses),
      created_at: timestamp,
    },
  },
  answer: listOf(checkoutSessionSchema),
  async run(call: Call, { page, filters }: OperationInput<undefined>) {
    const [found, merchant] = await Promise.all([
      list(call.db, call.scope, page, filters, call.now),
      findMerchant(call.db, call.scope.merchantId),
    ]);
    const context = {
      payUrl: call.parts.links.payUrl,
      privapaidEnabled: merchant!.privapaid_enabled,
      now: call.now,
    };
    return { page, result: { ...found, rows: found.rows.map((row) => toCheckoutSession(row, context)) } };
  },
} as const;

export const listCheckoutSessions = operation({
  ...shared,
  name: 'list_checkout_sessions',
  summary: 'List checkout sessions, newest first',
  path: '/api/v1/m/checkout_sessions',
  tool: { description: 'List checkout sessions, newest first; filter by status to find open or paid ones.' },
});

export const listServerCheckoutSessions = operation({
  ...shared,
  name: 'list_server_checkout_sessions',
  summary: 'The same list, at the address of the server-side flow',
  path: '/api/v1/checkout_sessions',
  tool: false,
});
