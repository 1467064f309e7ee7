import { notFound } from '../../kernel/errors.ts';
import { deliverySchema, toDelivery } from '../../model/delivery.ts';
import { json, operation } from '../../operation/operation.ts';
import { findDelivery, requeueDelivery } from '../../store/deliveries.ts';
import { requireActiveWebhook } from './require-webhook.ts';

export const redeliverDelivery = operation({
  name: 'redeliver_webhook_delivery',
  summary: 'Send one event to a webhook again',
  description:
    'The same bytes under the same event id, signed anew, with a full set of retries. A delivery that is being sent at ' +
    'this moment is left to it.',
  method: 'POST',
  path: '/api/v1/m/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  access: { permission: 'webhooks:write' },
  params: { id: 'Webhook', delivery_id: 'Delivery' },
  answer: json(deliverySchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    const { db, scope, now } = call;
    const webhook = await requireActiveWebhook(call, params.id!);
    await requeueDelivery(db, scope, webhook.id, params.delivery_id!, now);
    const delivery = await findDelivery(db, scope, webhook.id, params.delivery_id!);
    if (!delivery) throw notFound('Delivery');
    call.db.wake('event_recorded', scope.merchantId);
    return toDelivery(delivery);
  },
});
