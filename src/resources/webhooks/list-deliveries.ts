import { text, timestamp, word } from '../../kernel/filters.ts';
import { deliverySchema, deliveryStates, toDelivery } from '../../model/delivery.ts';
import { deliveriesKeptDays } from '../../model/event.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listDeliveries as listDeliveryRows } from '../../store/deliveries.ts';
import { requireWebhook } from './require-webhook.ts';

export const listDeliveries = operation({
  name: 'list_webhook_deliveries',
  summary: 'List what was and will be sent to a webhook, newest event first',
  description: `Kept for ${deliveriesKeptDays} days.`,
  method: 'GET',
  path: '/api/v1/m/webhooks/{id}/deliveries',
  access: { permission: 'webhooks:read' },
  params: { id: 'Webhook' },
  query: {
    paged: true,
    filters: { status: word(...deliveryStates), event: text, event_id: text, created_at: timestamp },
  },
  answer: listOf(deliverySchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params, page, filters }) {
    const webhook = await requireWebhook(call, params.id!);
    const { rows, totalCount } = await listDeliveryRows(call.db, call.scope, webhook.id, page, filters);
    return { page, result: { rows: rows.map(toDelivery), totalCount } };
  },
});
