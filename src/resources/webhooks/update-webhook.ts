import { Type } from 'typebox';
import { notFound } from '../../kernel/errors.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { toWebhook, type WebhookRow, webhookSchema } from '../../model/webhook.ts';
import { json, operation } from '../../operation/operation.ts';
import { lockWebhook, saveWebhook } from '../../store/webhooks.ts';
import {
  checkWebhookUrl,
  descriptionInput,
  eventsInput,
  readEvents,
  urlInput,
  webhookMetadataInput,
} from './webhook-input.ts';

export const updateWebhook = operation({
  name: 'update_webhook',
  summary: 'Change a webhook, or switch it off and on',
  description:
    'Members that are left out stay as they are. While `active` is false nothing is sent and nothing new is queued; ' +
    'what was queued before goes out when it is switched on again.',
  method: 'PATCH',
  path: '/api/v1/m/webhooks/{id}',
  access: { permission: 'webhooks:write' },
  params: { id: 'Webhook' },
  body: inputObject({
    webhook: inputObject({
      url: optional(urlInput),
      events: optional(eventsInput),
      active: optional(Type.Boolean({ description: 'false: nothing is sent and nothing new is queued' })),
      description: descriptionInput,
      metadata: webhookMetadataInput,
    }),
  }),
  answer: json(webhookSchema),
  fails: ['not_found'],
  tool: {
    description: 'Change where events go or which, or switch a webhook off and on (active).',
    rename: { id: 'webhook_id' },
  },
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const before = await lockWebhook(call.db, call.scope, params.id!);
    if (!before) throw notFound('Webhook');
    const { url, events, active, description, metadata } = body.webhook;
    if (typeof url === 'string') checkWebhookUrl(call, url);
    const webhook: WebhookRow = {
      ...before,
      url: url ?? before.url,
      events: events ? readEvents(events) : before.events,
      active: active ?? before.active,
      description: description === undefined ? before.description : description,
      metadata: metadata ?? before.metadata,
      updated_at: call.now,
    };
    await saveWebhook(call.db, call.scope, webhook);
    call.db.wake('event_recorded', call.scope.merchantId);
    return toWebhook(webhook);
  },
});
