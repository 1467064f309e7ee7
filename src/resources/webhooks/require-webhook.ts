import { AppError, notFound } from '../../kernel/errors.ts';
import type { WebhookRow } from '../../model/webhook.ts';
import type { Call } from '../../operation/operation.ts';
import { findWebhook } from '../../store/webhooks.ts';

/** @throws {AppError} 404. */
export async function requireWebhook(call: Call, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(call.db, call.scope, id);
  if (!webhook) throw notFound('Webhook');
  return webhook;
}

/** For calls that queue something. @throws {AppError} 404, or 409 when nothing is sent to it now. */
export async function requireActiveWebhook(call: Call, id: string): Promise<WebhookRow> {
  const webhook = await requireWebhook(call, id);
  if (!webhook.active) throw new AppError('conflict', 'The webhook is not active; set active to true first');
  return webhook;
}
