import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { deleteWebhook as removeWebhook } from '../../store/webhooks.ts';

export const deleteWebhook = operation({
  name: 'delete_webhook',
  summary: 'Remove a webhook; what is still queued for it is not sent',
  method: 'DELETE',
  path: '/api/v1/m/webhooks/{id}',
  status: 204,
  access: { permission: 'webhooks:write' },
  params: { id: 'Webhook' },
  answer: empty,
  fails: ['not_found'],
  tool: {
    description: 'Remove a webhook. What still waits to be sent to it is not sent.',
    rename: { id: 'webhook_id' },
  },
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    if (!(await removeWebhook(call.db, call.scope, params.id!))) throw notFound('Webhook');
  },
});
