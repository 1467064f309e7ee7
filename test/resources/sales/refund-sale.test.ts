import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { eventBodies, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

async function newSale(cents = 1000) {
  const order = orderBody({ total_amount_cents: cents, tender_type: 'cash' }, { mark_as_paid: true });
  const { body } = await merchant.test.post('/api/v1/m/orders', order);
  return (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${body.id}`)).body.data[0];
}
const refund = (saleId: string, amount_cents: unknown, headers = {}) =>
  merchant.test.post(`/api/v1/m/sales/${saleId}/refunds`, { refund: { amount_cents, note: 'Cold coffee' } }, headers);

describeRefusals(() => app, {
  method: 'POST',
  path: (id) => `/api/v1/m/sales/${id}/refunds`,
  body: () => ({ refund: { amount_cents: 1 } }),
  permission: 'payments:write',
  resource: 'Sale',
  make: async ({ test: client }) => {
    const order = await client.post('/api/v1/m/orders', orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
    return (await client.get(`/api/v1/m/sales?q[order_id_eq]=${order.body.id}`)).body.data[0].id;
  },
  success: 201,
});

describe('a refund', () => {
  test('is written down: sale, order, event and transaction agree', async () => {
    const sale = await newSale();
    const part = await refund(sale.id, 300);
    expect([part.status, part.body]).toEqual([
      201,
      expect.objectContaining({ object: 'refund', sale_id: sale.id, amount_cents: 300, note: 'Cold coffee' }),
    ]);
    const read = async () => (await merchant.test.get(`/api/v1/m/sales/${sale.id}`)).body;
    expect(await read()).toMatchObject({ status: 'partially_refunded', refunded_cents: 300 });
    expect((await merchant.test.get(`/api/v1/m/orders/${sale.order_id}`)).body.status).toBe('paid');
    expect((await refund(sale.id, 700)).status).toBe(201);
    expect(await read()).toMatchObject({ status: 'refunded', refunded_cents: 1000 });
    expect((await merchant.test.get(`/api/v1/m/orders/${sale.order_id}`)).body.status).toBe('refunded');
    const events = await eventBodies(app, merchant.id, 'order.refunded');
    expect(events.filter(({ data }) => data.id === sale.order_id).map(({ data }) => data.status)).toEqual([
      'paid',
      'refunded',
    ]);
    const transactions = await merchant.test.get(
      `/api/v1/transactions?q[type_eq]=refund&q[order_id_eq]=${sale.order_id}`,
    );
    expect(transactions.body.data.map((one: { amount_cents: number }) => one.amount_cents)).toEqual([700, 300]);
  });

  test('of everything is not undone by saying that the order is paid', async () => {
    const sale = await newSale();
    await refund(sale.id, 1000);
    const path = `/api/v1/m/orders/${sale.order_id}`;
    for (const body of [{ order: { status: 'paid' } }, { order: {}, mark_as_paid: true }]) {
      const message = 'The order is refunded and cannot become paid';
      expectError(await merchant.test.patch(path, body), 'conflict', { message });
    }
  });

  test('is never more than was paid, also when two come at once', async () => {
    const sale = await newSale();
    expectInvalid(await refund(sale.id, 1001), `amount_cents is more than what is left of the sale's 1000`);
    const replies = await Promise.all(Array.from({ length: 6 }, () => refund(sale.id, 400)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422, 422]);
  });

  test('of the second payment of an order leaves the sale standing, and one of both ends it', async () => {
    const order = await createOrderWithInvoice(merchant.test);
    await merchant.test.patch(`/api/v1/m/orders/${order.id}`, { order: { total_amount_cents: 600 } });
    const { body: other } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
    for (const invoiceId of [other.id, order.invoice.id]) {
      expect((await merchant.test.post(`/api/v1/m/invoices/${invoiceId}/simulate_payment`)).status).toBe(200);
    }
    const [sale] = (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${order.id}`)).body.data;
    expect(sale).toMatchObject({ status: 'paid', total_cents: 600 });
    const read = async () => [
      (await merchant.test.get(`/api/v1/m/sales/${sale.id}`)).body.status,
      (await merchant.test.get(`/api/v1/m/orders/${order.id}`)).body.status,
    ];
    expect((await refund(sale.id, 600)).status).toBe(201);
    expect(await read()).toEqual(['partially_refunded', 'paid']);
    expectInvalid(await refund(sale.id, 501), `amount_cents is more than what is left of the sale's 1100`);
    expect((await refund(sale.id, 500)).status).toBe(201);
    expect(await read()).toEqual(['refunded', 'refunded']);
  });

  test('of what was sent on top leaves the sale standing', async () => {
    const { id, invoice } = await createOrderWithInvoice(merchant.test);
    const path = `/api/v1/m/invoices/${invoice.id}/simulate_payment`;
    await merchant.test.post(path, { amount_sats: invoice.amount_sats * 2 });
    const [sale] = (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${id}`)).body.data;
    await refund(sale.id, 500);
    expect((await merchant.test.get(`/api/v1/m/sales/${sale.id}`)).body.status).toBe('partially_refunded');
    expectInvalid(await refund(sale.id, 501), `amount_cents is more than what is left of the sale's 1000`);
  });

  test('of all is not undone by more that arrives, which can be given back as well', async () => {
    const order = await createOrderWithInvoice(merchant.test);
    await merchant.test.patch(`/api/v1/m/orders/${order.id}`, { order: { total_amount_cents: 600 } });
    const { body: other } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
    await merchant.test.post(`/api/v1/m/invoices/${other.id}/simulate_payment`);
    const [sale] = (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${order.id}`)).body.data;
    await refund(sale.id, 600);
    await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    expect((await refund(sale.id, 200)).status).toBe(201);
    expect((await merchant.test.get(`/api/v1/m/sales/${sale.id}`)).body).toMatchObject({
      status: 'refunded',
      refunded_cents: 800,
    });
  });

  test('with the same key is one', async () => {
    const sale = await newSale();
    const headers = { 'idempotency-key': `refund ${sale.id}` };
    const [first, second] = [await refund(sale.id, 100, headers), await refund(sale.id, 100, headers)];
    expect(second.body).toEqual(first.body);
    expect((await merchant.test.get(`/api/v1/m/sales/${sale.id}`)).body.refunded_cents).toBe(100);
  });

  test('needs an amount above 0', async () => {
    const sale = await newSale();
    for (const amount of [0, -1, 1.5, '5', null, undefined]) expect((await refund(sale.id, amount)).status).toBe(422);
  });
});
