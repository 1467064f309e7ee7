import { Type } from 'typebox';
import { advanceTestClock as advance, longestAdvanceSeconds } from '../../flows/advance-test-clock.ts';
import { inputObject, livemode, objectName, timestamp } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';

export const advanceTestClock = operation({
  name: 'advance_test_clock',
  summary: 'Move time forward for your test data',
  description:
    'Subscriptions do what that time would have brought, one after the other, before this answers. Open invoices and ' +
    'checkout sessions have as much less time left. Nothing moves for live data, and nothing moves back.',
  method: 'POST',
  path: '/api/v1/m/test_clock/advance',
  access: { permission: 'orders:write', testOnly: true },
  body: inputObject({
    seconds: Type.Integer({ minimum: 1, maximum: longestAdvanceSeconds, description: 'How far; a day is 86400' }),
  }),
  answer: json(
    Type.Object(
      {
        object: objectName('test_clock'),
        livemode,
        now: timestamp('What subscriptions take for the present'),
        offset_seconds: Type.Integer({ description: 'How far that is ahead of the clock, in all' }),
      },
      { description: 'A merchant’s test clock' },
    ),
  ),
  tool: false,
  idempotency: 'database',
  async run(call, { body }) {
    const { today, offsetSeconds } = await advance(call.db, call.parts, call.scope.merchantId, body.seconds, call.now);
    call.db.wake('event_recorded', call.scope.merchantId);
    call.db.wake('invoice_due', call.scope.merchantId);
    return { object: 'test_clock', livemode: false, now: today.toISOString(), offset_seconds: offsetSeconds };
  },
});
