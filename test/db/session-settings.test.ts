import { afterAll, beforeAll, expect, test } from 'vitest';
import { dynamicStatement } from '../../src/db/database.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { createTestDatabase, onPostgres, type TestDatabase } from '../harness/database.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

if (!onPostgres) console.log('SKIPPED: the embedded engine has no settings of others; set TEST_DATABASE_URL');

/** What an operator may have set for a whole database, for other programs or by custom. */
const customs = {
  datestyle: 'German',
  bytea_output: 'escape',
  timezone: 'Asia/Kathmandu',
  default_transaction_isolation: 'serializable',
  intervalstyle: 'iso_8601',
  extra_float_digits: '-3',
};

let database: TestDatabase;
let app: TestApp | undefined;

beforeAll(async () => {
  if (!onPostgres) return;
  database = await createTestDatabase();
  const before = await openTestApp({ watch: false, database: { ...database, drop: async () => {} } });
  const name = new URL(database.env.DATABASE_URL!).pathname.slice(1);
  for (const [setting, value] of Object.entries(customs)) {
    await before.parts.db.run(dynamicStatement(`alter database ${name} set ${setting} = '${value}'`));
  }
  await before.close();
  app = await openTestApp({ database });
});
afterAll(() => app?.close());

test.skipIf(!onPostgres)('a database with customs of its own is written and read as any other', async () => {
  const { test: client } = await app!.newMerchant();
  const { id, invoice } = await createOrderWithInvoice(client);
  expect((await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`)).status).toBe(200);
  const order = (await client.get(`/api/v1/m/orders/${id}`)).body;
  expect(order).toMatchObject({ status: 'paid', created_at: app!.clock.now().toISOString() });
  const repeat = { 'idempotency-key': 'again' };
  const body = { webhook: { url: 'https://example.com/hook', events: ['order.paid'] } };
  const first = await client.post('/api/v1/m/webhooks', body, repeat);
  expect(await client.post('/api/v1/m/webhooks', body, repeat)).toMatchObject({ status: 201, body: first.body });
  const { data } = (await client.get('/api/v1/m/sales')).body;
  expect(data).toMatchObject([{ order_id: id, sold_at: order.created_at }]);
});
