import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { McpClient } from '../harness/mcp.ts';
import { until } from '../harness/until.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

/** Takes the database away. @returns what brings it back. */
async function takeAway(): Promise<() => Promise<void>> {
  const { engine, env } = app.database;
  if (engine) {
    const restarted = engine.restart('a test');
    return () => restarted;
  }
  const url = new URL(env.DATABASE_URL!);
  const name = url.pathname.slice(1);
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  return async () => {
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.end();
  };
}

const order = { order: { total_amount_cents: 400, items: [{ name: 'Coffee', price_cents: 400, qty: 1 }] } };
const read = () => merchant.test.get('/api/v1/m/orders');

test.each([
  ['one that reads', read],
  ['one that writes', () => merchant.test.post('/api/v1/m/orders', order)],
  ['one whose key must be looked up', () => merchant.live.get('/api/v1/m/orders')],
])('without its database a call says so, and when to come again: %s', async (_which, call) => {
  // Its key is known from now on for a second.
  expect((await read()).status).toBe(200);
  const comeBack = await takeAway();
  const { status, headers, body } = await call();
  await comeBack();
  expect({ status, code: body.error?.code }).toEqual({ status: 500, code: 'internal_error' });
  expect(body.error.message).toMatch(/database .* try again in a few seconds/);
  expect(headers['retry-after']).toBe('5');
  await until(async () => (await read()).status === 200);
});

test('a tool call says the same', async () => {
  const agent = new McpClient(app.app, merchant.test.key);
  expect((await agent.call('list_orders')).isError).toBe(false);
  const comeBack = await takeAway();
  const { isError, value } = await agent.call('list_orders');
  await comeBack();
  expect(isError).toBe(true);
  expect(value.error.message).toMatch(/database .* try again in a few seconds/);
  await until(async () => (await app.rows('select 1 as it').catch(() => [])).length === 1);
});
