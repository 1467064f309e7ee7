import { pauseSubscription as pause } from '../../flows/change-subscription.ts';
import { subscriptionSchema } from '../../model/subscription.ts';
import { json, operation } from '../../operation/operation.ts';
import { requireSubscription, showSubscription } from './show-subscription.ts';

export const pauseSubscription = operation({
  name: 'pause_subscription',
  summary: 'Pause a subscription',
  description: 'Nothing is charged until it is resumed. An order that is open stays payable.',
  method: 'POST',
  path: '/api/v1/m/subscriptions/{id}/pause',
  access: { permission: 'orders:write' },
  params: { id: 'Subscription' },
  answer: json(subscriptionSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    const seen = await requireSubscription(call, params.id!);
    const subscription = await pause(call.db, call.parts, seen);
    call.afterCommit(() => call.parts.db.wake('event_recorded', call.scope.merchantId));
    return showSubscription(call, subscription);
  },
});
