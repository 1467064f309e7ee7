import { Type } from 'typebox';
import { invalid } from '../../kernel/errors.ts';
import { parseTimestamp } from '../../kernel/timestamp.ts';
import { inputObject, nullable, objectName, optional, timestamp } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { replayEvents } from '../../store/deliveries.ts';
import { requireActiveWebhook } from './require-webhook.ts';

/** In one call: what one transaction can queue without keeping anyone waiting. */
const mostAtOnce = 10_000;

export const redeliverSince = operation({
  name: 'redeliver_webhook',
  summary: 'Send a webhook every event since a moment, again or for the first time',
  description:
    'Takes the events the webhook subscribes to now, also from before it was added or while it was inactive. Up to ' +
    `${mostAtOnce.toLocaleString('en-US')} a call: \`next_since\` says where to go on. With \`only_missing\`, what was ` +
    'delivered or is on its way is left out.',
  method: 'POST',
  path: '/api/v1/m/webhooks/{id}/redeliver',
  access: { permission: 'webhooks:write' },
  params: { id: 'Webhook' },
  body: inputObject({
    since: Type.String({ maxLength: 64, description: 'ISO 8601 time with Z or an offset, or a date' }),
    only_missing: optional(Type.Boolean({ description: 'Leave out what was delivered or is on its way' })),
  }),
  answer: json(
    Type.Object({
      object: objectName('webhook_redelivery'),
      queued: Type.Integer({ description: 'Events that are sent now' }),
      next_since: nullable(timestamp('Call again with this as `since` for the rest; null: that was all')),
    }),
  ),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const webhook = await requireActiveWebhook(call, params.id!);
    const since = parseTimestamp(body.since);
    if (!since) throw invalid('since must be an ISO 8601 time with Z or an offset, or a date');
    const { queued, nextSince } = await replayEvents(call.db, call.scope, webhook.id, {
      since,
      onlyMissing: body.only_missing ?? false,
      limit: mostAtOnce,
      now: call.now,
    });
    call.db.wake('event_recorded', call.scope.merchantId);
    return { object: 'webhook_redelivery', queued, next_since: nextSince?.toISOString() ?? null };
  },
});
