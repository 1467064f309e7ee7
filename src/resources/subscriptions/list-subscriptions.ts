import { text, timestamp, uuid, word } from '../../kernel/filters.ts';
import { subscriptionSchema, subscriptionStatuses } from '../../model/subscription.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listSubscriptions as listRows } from '../../store/subscriptions.ts';
import { showSubscription } from './show-subscription.ts';

export const listSubscriptions = operation({
  name: 'list_subscriptions',
  summary: 'List subscriptions, newest first',
  method: 'GET',
  path: '/api/v1/m/subscriptions',
  access: { permission: 'orders:read' },
  query: {
    paged: true,
    filters: {
      status: word(...subscriptionStatuses),
      customer_email: text,
      customer_id: uuid,
      product_id: uuid,
      name: text,
      next_billing_at: timestamp,
      created_at: timestamp,
    },
  },
  answer: listOf(subscriptionSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map((row) => showSubscription(call, row)), totalCount } };
  },
});
