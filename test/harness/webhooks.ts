import type { Client } from './client.ts';

/** Adds a webhook. @throws unless it is made. */
export async function createWebhook(client: Client, url: string, webhook: Record<string, unknown> = {}) {
  const reply = await client.post('/api/v1/m/webhooks', { webhook: { url, events: ['*'], ...webhook } });
  if (reply.status !== 201) throw new Error(`No webhook: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
