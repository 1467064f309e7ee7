import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { books, eventBodies, eventKinds, expectError } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';

describeRefusals(() => app, {
  method: 'DELETE',
  path: (id) => `${path}/${id}`,
  permission: 'orders:write',
  resource: 'Order',
  make: async ({ test }) => (await createOrder(test)).id,
  makeLive: async ({ live }) => (await createOrder(live)).id,
  success: 204,
});

test('a pending order is cancelled, with an event, and its invoice closes', async () => {
  const merchant = await app.newMerchant();
  const { invoice, ...order } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(7);
  const reply = await merchant.test.delete(`${path}/${order.id}`);
  expect(reply.status).toBe(204);
  expect(reply.body).toBe('');
  expect(reply.headers).not.toHaveProperty('content-type');
  const { body: shown } = await merchant.test.get(`${path}/${order.id}`);
  expect(shown).toMatchObject({ ...order, status: 'cancelled', updated_at: app.clock.now().toISOString() });
  expect(await eventKinds(app, merchant.id, order.id)).toEqual(['order.created', 'order.cancelled']);
  const [cancelled] = await eventBodies(app, merchant.id, 'order.cancelled');
  const { merchant: _, ...plain } = shown;
  expect(cancelled.data).toEqual(plain);
  const { body: closed } = await merchant.test.get(`/api/v1/m/invoices/${invoice.id}`);
  expect(closed).toMatchObject({ status: 'expired', expired: true, time_until_expiry: 0, paid_at: null });
});

test('cancelling again changes nothing and answers the same', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client);
  await client.delete(`${path}/${order.id}`);
  const before = await books(app);
  expect((await client.delete(`${path}/${order.id}`)).status).toBe(204);
  expect(await books(app)).toEqual(before);
});

test('a paid order cannot be cancelled', async () => {
  const { test: client } = await app.newMerchant();
  const lightning = await createOrderWithInvoice(client);
  await client.post(`/api/v1/m/invoices/${lightning.invoice.id}/simulate_payment`);
  const { body: cash } = await client.post(path, orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
  const before = await books(app);
  for (const { id } of [lightning, cash]) {
    expectError(await client.delete(`${path}/${id}`), 'conflict', { message: /^The order is paid/ });
  }
  expect(await books(app)).toEqual(before);
});

test('money that still arrives is recorded and flagged, the order stays cancelled', async () => {
  const merchant = await app.newMerchant();
  const order = await createOrderWithInvoice(merchant.test);
  await merchant.test.delete(`${path}/${order.id}`);
  const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
  const { body: shown } = await merchant.test.get(`${path}/${order.id}`);
  expect(shown).toMatchObject({ status: 'cancelled', attention: 'paid_after_cancel', payment });
  expect(await eventKinds(app, merchant.id)).toEqual([
    'order.created',
    'invoice.created',
    'order.cancelled',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.attention',
  ]);
  const [attention] = await eventBodies(app, merchant.id, 'order.attention');
  expect(attention.data).toMatchObject({ status: 'cancelled', attention: 'paid_after_cancel' });
});

test('cancelled after a part was paid, it asks for attention: that is to be given back', async () => {
  const merchant = await app.newMerchant();
  const parts = await createOrderWithInvoice(merchant.test);
  await merchant.test.patch(`${path}/${parts.id}`, { order: { total_amount_cents: 900 } });
  await merchant.test.post(`/api/v1/m/invoices/${parts.invoice.id}/simulate_payment`);
  expect((await merchant.test.delete(`${path}/${parts.id}`)).status).toBe(204);
  const { body: shown } = await merchant.test.get(`${path}/${parts.id}`);
  expect(shown).toMatchObject({ status: 'cancelled', attention: 'overpaid' });
  expect((await eventKinds(app, merchant.id, parts.id)).slice(-2)).toEqual(['order.cancelled', 'order.attention']);
  const [attention] = await eventBodies(app, merchant.id, 'order.attention');
  expect(attention.data).toMatchObject({ id: parts.id, status: 'cancelled', attention: 'overpaid' });
});

test('takes a JSON content type without a body (case C081), and ignores a body', async () => {
  const { test: client } = await app.newMerchant();
  const [one, two] = [await createOrder(client), await createOrder(client)];
  const json = { 'content-type': 'application/json' };
  expect((await client.raw('DELETE', `${path}/${one.id}`, '', json)).status).toBe(204);
  expect((await client.raw('DELETE', `${path}/${two.id}`, '{"id":"x"}', json)).status).toBe(204);
});
