import { Type } from 'typebox';
import { cancelSubscription as cancel } from '../../flows/change-subscription.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { operation } from '../../operation/operation.ts';
import { changeAndShow, changeOfSubscription } from './change-and-show.ts';

export const cancelSubscription = operation({
  ...changeOfSubscription,
  name: 'cancel_subscription',
  summary: 'End a subscription, now or with its period',
  description: 'Its unpaid order is cancelled with it. What was paid is not paid back.',
  path: '/api/v1/m/subscriptions/{id}/cancel',
  body: inputObject({
    at_period_end: optional(Type.Boolean({ description: 'When the period that runs, or the trial, is over' })),
  }),
  run: (call, { params, body }) =>
    changeAndShow(call, params.id!, (seen) =>
      cancel(call.db, call.parts, seen, body.at_period_end ? 'at_period_end' : 'now'),
    ),
});
