import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectInvalid } from '../../harness/expect.ts';
import { orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const path = '/api/v1/transactions';

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'payments:read' });

test('lists payments and cash, newest first, with every member', async () => {
  const merchant = await app.newMerchant();
  const request = (
    await merchant.test.post('/api/v1/m/payment_requests', {
      payment_request: { amount_cents: 300, payment_method: 'lightning', description: 'Tea', metadata: { n: 1 } },
    })
  ).body;
  const payment = (await merchant.test.post(`/api/v1/m/payment_requests/${request.id}/simulate_payment`)).body;
  app.clock.advanceSeconds(1);
  const cash = (
    await merchant.test.post('/api/v1/m/orders', orderBody({ tender_type: 'cash' }, { mark_as_paid: true }))
  ).body;

  const { data, meta } = (await merchant.test.get(path)).body;
  expect(meta.total_count).toBe(2);
  expect(data[0]).toMatchObject({
    type: 'cash',
    order_id: cash.id,
    amount_sats: null,
    amount_cents: 500,
    wallet_id: null,
  });
  expect(data[1]).toEqual({
    object: 'transaction',
    livemode: false,
    id: payment.id,
    type: 'payment',
    status: 'confirmed',
    order_id: request.order_id,
    order_number: 'ORD-000001',
    invoice_id: payment.invoice_id,
    checkout_session_id: null,
    payment_request_id: request.id,
    amount_sats: 3000,
    amount_cents: 300,
    currency: 'usd',
    payment_hash: payment.payment_hash,
    wallet_id: await testWalletId(app, merchant),
    metadata: { n: 1 },
    created_at: payment.created_at,
  });

  const ids = async (query: string) =>
    (await merchant.test.get(`${path}?${query}`)).body.data.map((row: { id: string }) => row.id);
  expect(await ids('q[type_eq]=payment')).toEqual([payment.id]);
  expect(await ids('q[amount_sats_gteq]=3001')).toEqual([]);
  expect(await ids(`q[order_id_eq]=${request.order_id}`)).toEqual([payment.id]);
  expectInvalid(await merchant.test.get(`${path}?q[type_eq]=gift`), /^q\[type_eq\] must be one of/);
});
