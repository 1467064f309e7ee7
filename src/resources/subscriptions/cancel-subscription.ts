import { Type } from 'typebox';
import { cancelSubscription as cancel } from '../../flows/change-subscription.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { subscriptionSchema } from '../../model/subscription.ts';
import { json, operation } from '../../operation/operation.ts';
import { requireSubscription, showSubscription } from './show-subscription.ts';

export const cancelSubscription = operation({
  name: 'cancel_subscription',
  summary: 'End a subscription, now or with its period',
  description: 'Its unpaid order is cancelled with it. What was paid is not paid back.',
  method: 'POST',
  path: '/api/v1/m/subscriptions/{id}/cancel',
  access: { permission: 'orders:write' },
  params: { id: 'Subscription' },
  body: inputObject({
    at_period_end: optional(Type.Boolean({ description: 'When the period that runs, or the trial, is over' })),
  }),
  answer: json(subscriptionSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const seen = await requireSubscription(call, params.id!);
    const subscription = await cancel(call.db, call.parts, seen, body.at_period_end ?? false);
    call.afterCommit(() => call.parts.db.wake('event_recorded', call.scope.merchantId));
    return showSubscription(call, subscription);
  },
});
