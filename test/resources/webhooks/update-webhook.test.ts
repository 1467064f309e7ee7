import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectInvalid } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { createWebhook } from '../../harness/webhooks.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false, allowPrivateNetworks: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/webhooks';
const url = 'https://shop.example/hook';

describeRefusals(() => app, {
  method: 'PATCH',
  path: (id) => `${path}/${id}`,
  body: () => ({ webhook: { active: false } }),
  permission: 'webhooks:write',
  resource: 'Webhook',
  make: async ({ test }) => (await createWebhook(test, url)).id,
  makeLive: async ({ live }) => (await createWebhook(live, url)).id,
});

test('changes what is sent and leaves the rest', async () => {
  const { test: client } = await app.newMerchant();
  const { secret_key, ...webhook } = await createWebhook(client, url, { description: 'Shop', metadata: { a: 1 } });
  app.clock.advanceSeconds(10);
  const updated_at = app.clock.now().toISOString();
  const change = async (members: object) => (await client.patch(`${path}/${webhook.id}`, { webhook: members })).body;

  expect(await change({ active: false })).toEqual({ ...webhook, active: false, updated_at });
  expect(await change({ url: 'https://new.example/', events: ['order.paid', 'order.paid'] })).toEqual({
    ...webhook,
    active: false,
    url: 'https://new.example/',
    events: ['order.paid'],
    updated_at,
  });
  expect(await change({ active: true, description: null, metadata: {} })).toMatchObject({
    active: true,
    description: null,
    metadata: {},
    events: ['order.paid'],
  });
  expect(await change({ id: 'x', success_count: 9 })).toMatchObject({ id: webhook.id, success_count: 0 });
});

test('refuses what could not have been created either, and changes nothing', async () => {
  const merchant = await app.newMerchant();
  const webhook = await createWebhook(merchant.live, url);
  const patch = (members: object) => merchant.live.patch(`${path}/${webhook.id}`, { webhook: members });
  const refused: [object, string][] = [
    [{ url: 'https://[::1]/' }, 'url leads to an address that is not allowed'],
    [{ url: 'http://shop.example/' }, 'url must start with https://'],
    [{ url: '' }, 'url must be absolute and start with http:// or https://'],
    [{ events: [] }, 'events must not be empty'],
    [{ events: ['order.eaten'] }, 'events has unknown kinds: order.eaten'],
    [{ active: 'false' }, 'active must be true or false'],
    [{ active: 0 }, 'active must be true or false'],
  ];
  for (const [members, detail] of refused) expectInvalid(await patch(members), detail);
  expectInvalid(await merchant.live.patch(`${path}/${webhook.id}`, { active: false }), 'webhook is required');
  const { secret_key, ...unchanged } = webhook;
  expect((await merchant.live.get(`${path}/${webhook.id}`)).body).toEqual(unchanged);
});
