import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectError } from '../../harness/expect.ts';
import { createOrder } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { createWebhook } from '../../harness/webhooks.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/webhooks';
const make = { make: async ({ test }: { test: Parameters<typeof createWebhook>[0] }) => idOf(test) };
const idOf = async (client: Parameters<typeof createWebhook>[0]) =>
  (await createWebhook(client, 'https://shop.example')).id as string;

describe('show', () => {
  describeRefusals(() => app, {
    method: 'GET',
    path: (id) => `${path}/${id}`,
    permission: 'webhooks:read',
    resource: 'Webhook',
    makeLive: ({ live }) => idOf(live),
    ...make,
  });
});

describe('delete', () => {
  describeRefusals(() => app, {
    method: 'DELETE',
    path: (id) => `${path}/${id}`,
    permission: 'webhooks:write',
    resource: 'Webhook',
    success: 204,
    makeLive: ({ live }) => idOf(live),
    ...make,
  });

  test('answers without a body; the webhook and its queue are gone', async () => {
    const { test: client } = await app.newMerchant();
    const id = await idOf(client);
    await createOrder(client);
    const reply = await client.delete(`${path}/${id}`);
    expect([reply.status, reply.body]).toEqual([204, '']);
    expectError(await client.get(`${path}/${id}`), 'not_found', { message: 'Webhook not found' });
    expectError(await client.delete(`${path}/${id}`), 'not_found', { message: 'Webhook not found' });
    expectError(await client.get(`${path}/${id}/deliveries`), 'not_found', { message: 'Webhook not found' });
    expect(await app.deliverDue()).toBe(0);
  });
});
