import { Type } from 'typebox';
import { eventKinds } from '../../events/catalog.ts';
import { boolean, text, timestamp, uuid } from '../../kernel/filters.ts';
import { toWebhook, webhookSchema } from '../../model/webhook.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listWebhooks as listWebhookRows } from '../../store/webhooks.ts';

export const listWebhooks = operation({
  name: 'list_webhooks',
  summary: 'List webhooks, newest first, and the kinds of events there are',
  method: 'GET',
  path: '/api/v1/m/webhooks',
  access: { permission: 'webhooks:read' },
  query: { paged: true, filters: { active: boolean, url: text, created_at: timestamp, merchant_id: uuid } },
  answer: listOf(webhookSchema, {
    available_events: Type.Array(Type.String(), { description: 'Every kind of event that can be subscribed to' }),
  }),
  tool: {
    description: 'List the addresses that are told of events, and all kinds of events there are (available_events).',
  },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listWebhookRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toWebhook), totalCount }, extra: { available_events: [...eventKinds] } };
  },
});
