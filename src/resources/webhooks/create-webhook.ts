import { newWebhookSecret } from '../../events/signature.ts';
import { sealWebhookSecret } from '../../flows/webhook-secrets.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { newWebhookSchema, toWebhook, type WebhookRow } from '../../model/webhook.ts';
import { json, operation } from '../../operation/operation.ts';
import { lockMerchant } from '../../store/merchants.ts';
import { countWebhooks, insertWebhook } from '../../store/webhooks.ts';
import {
  checkWebhookUrl,
  descriptionInput,
  eventsInput,
  readEvents,
  urlInput,
  webhookMetadataInput,
} from './webhook-input.ts';

/** Per merchant and mode: every event is matched against all of them in the transaction that records it. */
const mostWebhooks = 100;

export const createWebhook = operation({
  name: 'create_webhook',
  summary: 'Add an endpoint that is told of events',
  description:
    'The answer is the only one that shows `secret_key`; every delivery is signed with it. Deliveries begin with the ' +
    'next event; `POST /api/v1/m/webhooks/{id}/redeliver` sends earlier ones.',
  method: 'POST',
  path: '/api/v1/m/webhooks',
  status: 201,
  access: { permission: 'webhooks:write' },
  body: inputObject({
    webhook: inputObject({
      url: urlInput,
      events: optional(eventsInput),
      description: descriptionInput,
      metadata: webhookMetadataInput,
    }),
  }),
  answer: json(newWebhookSchema),
  tool: {
    description:
      'Have a server told of events, such as paid orders. Leave events out for all kinds; list_webhooks names them ' +
      '(available_events). The answer shows secret_key once: keep it to check signatures.',
  },
  idempotency: 'database',
  audit: true,
  async run(call, { body }) {
    const { url, events, description, metadata } = body.webhook;
    // An assistant that names no kinds means all of them; everyone else has to say so.
    if (!events && call.source !== 'mcp') throw invalid('events is required');
    const kinds = readEvents(events ?? ['*']);
    checkWebhookUrl(call, url);
    // Creates that come together count one after the other.
    await lockMerchant(call.db, call.scope.merchantId);
    if ((await countWebhooks(call.db, call.scope)) >= mostWebhooks) {
      throw invalid(`there can be at most ${mostWebhooks} webhooks; delete one first`);
    }
    const id = newId();
    const secret = newWebhookSecret();
    const webhook: WebhookRow = {
      id,
      merchant_id: call.scope.merchantId,
      livemode: call.scope.livemode,
      url,
      description: description ?? null,
      events: kinds,
      active: true,
      secret: sealWebhookSecret(call.parts.sealer, id, 'secret', secret),
      previous_secret: null,
      previous_secret_until: null,
      success_count: 0,
      failure_count: 0,
      recent_outcomes: '',
      last_triggered_at: null,
      metadata: metadata ?? {},
      created_at: call.now,
      updated_at: call.now,
    };
    await insertWebhook(call.db, webhook);
    return { ...toWebhook(webhook), secret_key: secret };
  },
});
