import { subscriptionSchema } from '../../model/subscription.ts';
import { json, operation } from '../../operation/operation.ts';
import { requireSubscription, showSubscription } from './show-subscription.ts';

export const getSubscription = operation({
  name: 'get_subscription',
  summary: 'Show a subscription',
  method: 'GET',
  path: '/api/v1/m/subscriptions/{id}',
  access: { permission: 'orders:read' },
  params: { id: 'Subscription' },
  answer: json(subscriptionSchema),
  fails: ['not_found'],
  tool: false,
  run: async (call, { params }) => showSubscription(call, await requireSubscription(call, params.id!)),
});
