import { removal } from '../../operation/removal.ts';
import { deleteWebhook as remove } from '../../store/webhooks.ts';

export const deleteWebhook = removal({
  name: 'delete_webhook',
  summary: 'Remove a webhook; what is still queued for it is not sent',
  path: '/api/v1/m/webhooks/{id}',
  resource: 'Webhook',
  permission: 'webhooks:write',
  tool: {
    description: 'Remove a webhook. What still waits to be sent to it is not sent.',
    rename: { id: 'webhook_id' },
  },
  audit: true,
  remove: ({ db, scope }, id) => remove(db, scope, id),
});
