import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

test('an order with an invoice is paid once, however often its payment is simulated', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrderWithInvoice(client);
  expect(order.total_amount_sats).toBe(5000);
  expect(order.invoice.amount_sats).toBe(5000);

  const pay = () => client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
  const first = await pay();
  expect(first.status).toBe(200);
  expect((await pay()).body).toEqual(first.body);

  const shown = await client.get(`/api/v1/m/orders/${order.id}`);
  expect(shown.body.status).toBe('paid');
  expect(shown.body.payment.id).toBe(first.body.id);
  const kinds = await app.rows<{ kind: string }>('select kind from events where merchant_id = $1 order by seq', [
    order.merchant_id,
  ]);
  expect(kinds.map((row) => row.kind)).toEqual([
    'order.created',
    'invoice.created',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.paid',
  ]);
});
