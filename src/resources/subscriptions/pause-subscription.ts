import { pauseSubscription as pause } from '../../flows/change-subscription.ts';
import { operation } from '../../operation/operation.ts';
import { changeAndShow, changeOfSubscription } from './change-and-show.ts';

export const pauseSubscription = operation({
  ...changeOfSubscription,
  name: 'pause_subscription',
  summary: 'Pause a subscription',
  description: 'Nothing is charged until it is resumed. An order that is open stays payable.',
  path: '/api/v1/m/subscriptions/{id}/pause',
  run: (call, { params }) => changeAndShow(call, params.id!, (seen) => pause(call.db, call.parts, seen)),
});
