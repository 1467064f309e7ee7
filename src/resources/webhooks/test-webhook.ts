import { eventExample, eventKinds } from '../../events/catalog.ts';
import { recordTestEvent } from '../../events/outbox.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { deliverySchema, toDelivery } from '../../model/delivery.ts';
import { inputObject, oneOf, optional } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findDeliveryOfEvent, insertDelivery } from '../../store/deliveries.ts';
import { requireActiveWebhook } from './require-webhook.ts';
import { subscribes } from './webhook-input.ts';

export const testWebhook = operation({
  name: 'test_webhook',
  summary: 'Send a webhook an example event',
  description:
    'For test endpoints only: an invented payment must never reach a live one. The body is an example of its kind with ' +
    '`"test": true` beside it; it goes to this webhook and shows up nowhere else.',
  method: 'POST',
  path: '/api/v1/m/webhooks/{id}/test',
  status: 201,
  access: { permission: 'webhooks:write', testOnly: true },
  params: { id: 'Webhook' },
  body: inputObject({
    event: optional(oneOf(eventKinds, 'Kind of event; the first the webhook subscribes to if left out')),
  }),
  answer: json(deliverySchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const { db, scope, now } = call;
    const webhook = await requireActiveWebhook(call, params.id!);
    const subscribed = eventKinds.filter((kind) => subscribes(webhook.events, kind));
    const kind = body.event ?? subscribed[0]!;
    if (!subscribed.includes(kind)) throw invalid(`event must be one that the webhook subscribes to; ${kind} is not`);
    const eventId = await recordTestEvent(db, scope, webhook.id, kind, eventExample(kind), now);
    await insertDelivery(db, webhook.id, eventId, now);
    const delivery = await findDeliveryOfEvent(db, scope, webhook.id, eventId);
    // Removed meanwhile; the event is taken back with this transaction.
    if (!delivery) throw notFound('Webhook');
    return toDelivery(delivery);
  },
});
