import { toWebhook, webhookSchema } from '../../model/webhook.ts';
import { json, operation } from '../../operation/operation.ts';
import { requireWebhook } from './require-webhook.ts';

export const getWebhook = operation({
  name: 'get_webhook',
  summary: 'Show a webhook and its health',
  method: 'GET',
  path: '/api/v1/m/webhooks/{id}',
  access: { permission: 'webhooks:read' },
  params: { id: 'Webhook' },
  answer: json(webhookSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one webhook and how well its deliveries go.',
    rename: { id: 'webhook_id' },
  },
  async run(call, { params }) {
    return toWebhook(await requireWebhook(call, params.id!));
  },
});
