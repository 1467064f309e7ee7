import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';

describeRefusals(() => app, {
  method: 'GET',
  path: (id) => `${path}/${id}`,
  permission: 'orders:read',
  resource: 'Order',
  make: async ({ test }) => (await createOrder(test)).id,
  makeLive: async ({ live }) => (await createOrder(live)).id,
});

test('shows a pending order with its merchant and no payment', async () => {
  const merchant = await app.newMerchant();
  const order = await createOrder(merchant.test);
  const { body: own } = await merchant.test.get('/api/v1/m/merchant');
  const reply = await merchant.test.get(`${path}/${order.id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({ ...order, merchant: own });
});

test('takes the id in upper case, and a slash behind it', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client);
  expect((await client.get(`${path}/${order.id.toUpperCase()}`)).body.id).toBe(order.id);
  expect((await client.get(`${path}/${order.id}/`)).body.id).toBe(order.id);
});

test('shows a paid order with its payment', async () => {
  const merchant = await app.newMerchant();
  const { invoice, ...order } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(5);
  const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
  const { body } = await merchant.test.get(`${path}/${order.id}`);
  expect(body).toEqual({
    ...order,
    status: 'paid',
    updated_at: app.clock.now().toISOString(),
    merchant: expect.objectContaining({ object: 'merchant', id: merchant.id, livemode: false }),
    payment,
  });
});

test('shows a cash order with its payment, whose price and variance members are absent', async () => {
  const { test: client } = await app.newMerchant();
  const { body: order } = await client.post(path, orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
  const { body } = await client.get(`${path}/${order.id}`);
  const { payment, merchant, ...plain } = body;
  expect(plain).toEqual(order);
  expect(Object.keys(payment).filter((name) => /price|value|variance/.test(name))).toEqual([]);
});

test('expand adds the invoice: the open one before a paid one before the newest', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrderWithInvoice(client);
  const shown = async () => (await client.get(`${path}/${order.id}?expand=invoice,payment,merchant`)).body.invoice;
  expect(await shown()).toEqual(order.invoice);
  await client.patch(`${path}/${order.id}`, { order: { total_amount_cents: 600 } });
  expect(await shown()).toMatchObject({ id: order.invoice.id, status: 'expired', expired: true, time_until_expiry: 0 });
  const { body: second } = await client.post('/api/v1/m/invoices/generate', { order_id: order.id });
  expect(await shown()).toMatchObject({ id: second.id, status: 'pending', amount_sats: 6000 });
  // The first one pays a part of it: the second asked for too much.
  await client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
  expect(await shown()).toMatchObject({ id: order.invoice.id, status: 'paid' });
  const { body: rest } = await client.post('/api/v1/m/invoices/generate', { order_id: order.id });
  expect(await shown()).toMatchObject({ id: rest.id, status: 'pending', amount_sats: 1000 });
});

test('without expand there is no invoice, and an unknown word is refused', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrderWithInvoice(client);
  expect((await client.get(`${path}/${order.id}`)).body).not.toHaveProperty('invoice');
  expect((await client.get(`${path}/${order.id}?expand=`)).body).not.toHaveProperty('invoice');
  expectInvalid(await client.get(`${path}/${order.id}?expand=sale`), /sale is unknown$/);
  expectInvalid(await client.get(`${path}/${order.id}?expand=invoice&expand=payment`), /more than once$/);
});

test('still shows a cancelled order', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client);
  await client.delete(`${path}/${order.id}`);
  expect((await client.get(`${path}/${order.id}`)).body).toMatchObject({ ...order, status: 'cancelled' });
});
