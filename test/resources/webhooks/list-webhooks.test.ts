import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventKinds } from '../../../src/events/catalog.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { createWebhook } from '../../harness/webhooks.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/webhooks';

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'webhooks:read' });

test('lists a mode’s webhooks, newest first, with the kinds there are', async () => {
  const merchant = await app.newMerchant();
  await createWebhook((await app.newMerchant()).test, 'https://other.example');
  await createWebhook(merchant.live, 'https://live.example');
  const made = [];
  for (const name of ['a', 'b', 'c']) {
    const { secret_key, ...webhook } = await createWebhook(merchant.test, `https://${name}.example`);
    made.unshift(webhook);
    app.clock.advanceSeconds(1);
  }
  expect((await merchant.test.get(path)).body).toEqual({
    object: 'list',
    data: made,
    meta: { current_page: 1, per_page: 25, total_count: 3, total_pages: 1, next_page: null, prev_page: null },
    available_events: [...eventKinds],
  });
});

test('filters by what decisions name, and refuses the rest by name', async () => {
  const merchant = await app.newMerchant();
  const on = await createWebhook(merchant.test, 'https://on.example/a%b');
  const off = await createWebhook(merchant.test, 'https://off.example');
  await merchant.test.patch(`${path}/${off.id}`, { webhook: { active: false } });
  const ids = async (query: string) =>
    (await merchant.test.get(`${path}?${query}`)).body.data.map((webhook: { id: string }) => webhook.id);

  expect(await ids('q[active_eq]=true')).toEqual([on.id]);
  expect(await ids('q%5Bactive_eq%5D=false')).toEqual([off.id]);
  expect(await ids('q[url_cont]=A%25B')).toEqual([on.id]);
  expect(await ids('q[url_eq]=https://off.example')).toEqual([off.id]);
  expect(await ids(`q[created_at_gteq]=${on.created_at}`)).toHaveLength(2);
  expect(await ids(`q[created_at_gt]=${on.created_at}`)).toEqual([]);
  expect(await ids(`q[merchant_id_eq]=${merchant.id}`)).toHaveLength(2);
  expect(await ids(`q[merchant_id_eq]=${(await app.newMerchant()).id}`)).toEqual([]);
  expectInvalid(await merchant.test.get(`${path}?q[active_eq]=1`), 'q[active_eq] must be true or false');
  expectInvalid(await merchant.test.get(`${path}?q[secret_eq]=x`), unknownFilter('q[secret_eq]'));
});
