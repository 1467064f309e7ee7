import { afterAll, beforeAll, expect, test } from 'vitest';
import { sweepOnce } from '../../src/jobs/sweep.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { McpClient } from '../harness/mcp.ts';
import { createOrder } from '../harness/orders.ts';
import { createWebhook } from '../harness/webhooks.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const days = (count: number) => count * 24 * 3600;
const count = async (table: string) => (await app.rows(`select from ${table}`)).length;

test('deliveries go after 30 days and events after 90, whatever became of them', async () => {
  const { test: client } = await app.newMerchant();
  await createWebhook(client, 'https://shop.example', { events: ['order.created'] });
  await createOrder(client);
  app.clock.advanceSeconds(days(30));
  await createOrder(client);
  await sweepOnce(app.parts);
  expect([await count('deliveries'), await count('events')]).toEqual([2, 2]);
  app.clock.advanceSeconds(1);
  await sweepOnce(app.parts);
  expect([await count('deliveries'), await count('events')]).toEqual([1, 2]);
  app.clock.advanceSeconds(days(60));
  await sweepOnce(app.parts);
  expect([await count('deliveries'), await count('events')]).toEqual([0, 1]);
  app.clock.advanceSeconds(days(90));
  await sweepOnce(app.parts);
  expect(await count('events')).toBe(0);
});

test('counts of requests and tries go after two hours', async () => {
  await app.rows('insert into rate_windows (subject, starts_at, count) values ($1, $2, 1)', [
    'minute x',
    app.clock.now(),
  ]);
  await app.rows('insert into tries values ($1, array[$2::timestamptz], true, $2)', ['account x', app.clock.now()]);
  app.clock.advanceSeconds(2 * 3600);
  await sweepOnce(app.parts);
  expect([await count('rate_windows'), await count('tries')]).toEqual([1, 1]);
  app.clock.advanceSeconds(1);
  await sweepOnce(app.parts);
  expect([await count('rate_windows'), await count('tries')]).toEqual([0, 0]);
});

test('what waits for a deleted endpoint goes at the next sweep, in batches', async () => {
  const { id, test: client } = await app.newMerchant();
  const [kept, gone] = [
    await createWebhook(client, 'https://kept.example'),
    await createWebhook(client, 'https://gone.example'),
  ];
  await app.rows(
    `with e as (
       insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at)
       select 'evt_many' || n, $1, false, 'order.updated', $1, n::text, '{}', $2 from generate_series(1, 2500) n
       returning id, seq)
     insert into deliveries (id, webhook_id, event_id, event_seq, state, next_try_at, created_at)
     select gen_random_uuid(), w, id, seq, 'waiting', $2, $2 from e, unnest($3::uuid[]) w`,
    [id, app.clock.now(), [kept.id, gone.id]],
  );
  await client.delete(`/api/v1/m/webhooks/${gone.id}`);
  await sweepOnce(app.parts);
  const left = await app.rows<{ webhook_id: string; count: number }>(
    'select webhook_id, count(*) as count from deliveries group by webhook_id',
  );
  expect(left).toEqual([{ webhook_id: kept.id, count: 2500 }]);
});

test('tool calls go after 90 days, in batches', async () => {
  const { id, test: client } = await app.newMerchant();
  const mcp = new McpClient(app.app, client.key);
  await app.rows(
    `insert into tool_calls (id, merchant_id, livemode, credential_id, tool, success, created_at)
     select gen_random_uuid(), $1, false, $1, 'get_order', true, $2 from generate_series(1, 2500)`,
    [id, app.clock.now()],
  );
  app.clock.advanceSeconds(1);
  await mcp.call('get_merchant');
  await app.parts.toolCalls.flush();
  app.clock.advanceSeconds(days(90) - 1);
  await sweepOnce(app.parts);
  expect(await count('tool_calls')).toBe(2501);
  app.clock.advanceSeconds(1);
  await sweepOnce(app.parts);
  expect(await app.rows('select tool from tool_calls')).toEqual([{ tool: 'get_merchant' }]);
});
