import { notFound } from '../../kernel/errors.ts';
import { deliverySchema, toDelivery } from '../../model/delivery.ts';
import { json, operation } from '../../operation/operation.ts';
import { findDelivery } from '../../store/deliveries.ts';
import { requireWebhook } from './require-webhook.ts';

export const getDelivery = operation({
  name: 'get_webhook_delivery',
  summary: 'Show how one event got to a webhook',
  method: 'GET',
  path: '/api/v1/m/webhooks/{id}/deliveries/{delivery_id}',
  access: { permission: 'webhooks:read' },
  params: { id: 'Webhook', delivery_id: 'Delivery' },
  answer: json(deliverySchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const webhook = await requireWebhook(call, params.id!);
    const delivery = await findDelivery(call.db, call.scope, webhook.id, params.delivery_id!);
    if (!delivery) throw notFound('Delivery');
    return toDelivery(delivery);
  },
});
