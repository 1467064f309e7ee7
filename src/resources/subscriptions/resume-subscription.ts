import { resumeSubscription as resume } from '../../flows/change-subscription.ts';
import { operation } from '../../operation/operation.ts';
import { changeAndShow, changeOfSubscription } from './change-and-show.ts';

export const resumeSubscription = operation({
  ...changeOfSubscription,
  name: 'resume_subscription',
  summary: 'Let a paused subscription go on',
  description:
    'Charges stay on their days: the next is the first that lies ahead. What began during the pause is not charged.',
  path: '/api/v1/m/subscriptions/{id}/resume',
  run: (call, { params }) => changeAndShow(call, params.id!, (seen) => resume(call.db, call.parts, seen)),
});
