import { resumeSubscription as resume } from '../../flows/change-subscription.ts';
import { subscriptionSchema } from '../../model/subscription.ts';
import { json, operation } from '../../operation/operation.ts';
import { requireSubscription, showSubscription } from './show-subscription.ts';

export const resumeSubscription = operation({
  name: 'resume_subscription',
  summary: 'Let a paused subscription go on',
  description:
    'Charges stay on their days: the next is the first that lies ahead. What began during the pause is not charged.',
  method: 'POST',
  path: '/api/v1/m/subscriptions/{id}/resume',
  access: { permission: 'orders:write' },
  params: { id: 'Subscription' },
  answer: json(subscriptionSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    const seen = await requireSubscription(call, params.id!);
    const subscription = await resume(call.db, call.parts, seen);
    call.afterCommit(() => call.parts.db.wake('event_recorded', call.scope.merchantId));
    return showSubscription(call, subscription);
  },
});
