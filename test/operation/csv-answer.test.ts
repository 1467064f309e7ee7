import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderFields } from '../../src/model/order.ts';
import { saleSchema } from '../../src/model/sale.ts';
import { transactionSchema } from '../../src/model/transaction.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { orderBody } from '../harness/orders.ts';

let app: TestApp;
let merchant: TestMerchant;
const lists = ['/api/v1/m/orders', '/api/v1/m/payments', '/api/v1/m/sales', '/api/v1/transactions'];

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  for (const name of ['=HYPERLINK("x")', 'Tea, "green"', 'Café\nnoir']) {
    const order = { po_number: name, tender_type: 'cash', total_amount_cents: 500 };
    await merchant.test.post('/api/v1/m/orders', orderBody(order, { mark_as_paid: true }));
  }
});
afterAll(() => app.close());

const read = (url: string, key = merchant.test.key, accept = 'text/csv') =>
  app.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${key}`, accept } });

test.each(lists)('%s is CSV for who asks for it by name, JSON for everybody else', async (url) => {
  const csv = await read(url);
  expect([csv.statusCode, csv.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="\w+\.csv"$/);
  expect(csv.headers.vary).toContain('accept');
  const [head] = csv.body.split('\n');
  expect(head!.split(',')).toEqual(expect.arrayContaining(['livemode', 'id', 'created_at']));
  for (const accept of ['*/*', 'application/json', 'application/json, text/csv']) {
    expect((await read(url, merchant.test.key, accept)).headers['content-type']).toContain('application/json');
  }
  expect((await read(url, 'sk_test_nothing')).statusCode).toBe(401);
  expect((await read(url, merchant.publishable.key)).statusCode).toBe(403);
  expect((await read(url, merchant.live.key)).body.trimEnd().split('\n')).toHaveLength(1);
  expect((await read(`${url}?q[nothing_eq]=1`)).statusCode).toBe(422);
});

test('HEAD promises no length of what only a GET would count', async () => {
  const headers = { authorization: `Bearer ${merchant.test.key}`, accept: 'text/csv' };
  const { statusCode, headers: answered } = await app.app.inject({ method: 'HEAD', url: lists[0]!, headers });
  expect([statusCode, answered['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(answered).not.toHaveProperty('content-length');
});

test('the first line names every member in the order of the shape, nothing else', async () => {
  const head = async (url: string) => (await read(url)).body.split('\n')[0]!.split(',');
  expect(await head('/api/v1/m/sales')).toEqual(Object.keys(saleSchema.properties));
  expect(await head('/api/v1/transactions')).toEqual(Object.keys(transactionSchema.properties));
  // Resources that show beside an order or a payment have lists of their own.
  expect(await head('/api/v1/m/orders')).toEqual(Object.keys(orderFields));
  expect(await head('/api/v1/m/payments')).not.toContain('order');
  expect(await head('/api/v1/m/sales')).toEqual(
    Object.keys((await merchant.test.get('/api/v1/m/sales')).body.data[0] as object),
  );
});

test('formulas are text, quotes and line ends are quoted, filters count', async () => {
  const { body } = await read('/api/v1/m/orders');
  expect(body).toContain(`"'=HYPERLINK(""x"")"`);
  expect(body).toContain('"Tea, ""green"""');
  expect(body).toContain('"Café\nnoir"');
  const filtered = await read('/api/v1/m/orders?q[status_eq]=pending');
  expect(filtered.body.trimEnd().split('\n')).toHaveLength(1);
});

test.each(['+1-1', '-1-1', '@A1', '\t=A1', '\n=A1', '\uFF1DA1', '\uFF0BA1', '\uFF0DA1', '\uFF20A1'])(
  'what begins like %j is text, too',
  async (name) => {
    const shop = await app.newMerchant();
    await shop.test.post('/api/v1/m/orders', orderBody({ po_number: name, tender_type: 'cash' }));
    expect((await read('/api/v1/m/orders', shop.test.key)).body).toContain(`'${name}`);
  },
);

test('a number stays one', async () => {
  const shop = await app.newMerchant();
  await shop.test.post('/api/v1/m/orders', orderBody({ po_number: '-5', tender_type: 'cash' }));
  expect((await read('/api/v1/m/orders', shop.test.key)).body).toContain(',-5,');
});

test('every row is there once, however many there are and however many share a moment', async () => {
  const shop = await app.newMerchant();
  await app.rows(
    `insert into orders (id, merchant_id, livemode, order_number, status, tender_type, source, currency,
                         total_amount_cents, tax_amount_cents, discount_amount_cents, total_amount_sats, items, po_number,
                         metadata, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'C-' || n, 'pending', 'bitcoin', 'api', 'usd', n, 0, 0, n, '[]', 'C-' || n, '{}',
            timestamptz '2027-02-01T00:00Z' + (n / 7) * interval '1 second', now()
       from generate_series(1, 1234) n`,
    [shop.id],
  );
  const [head, ...rows] = (await read('/api/v1/m/orders', shop.test.key)).body.trimEnd().split('\n');
  const at = head!.split(',').indexOf('order_number');
  expect(new Set(rows.map((row) => row.split(',')[at])).size).toBe(1234);
  expect(rows).toHaveLength(1234);
});
