import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getDelivery } from './get-delivery.ts';
import { getWebhook } from './get-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { redeliverDelivery } from './redeliver-delivery.ts';
import { redeliverSince } from './redeliver-since.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhookOperations = [
  listWebhooks,
  createWebhook,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  testWebhook,
  listDeliveries,
  getDelivery,
  redeliverDelivery,
  redeliverSince,
];
