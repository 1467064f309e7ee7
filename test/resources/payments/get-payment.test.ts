import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { anId } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/payments';
const cashBody = orderBody({ tender_type: 'cash', currency: 'eur' }, { mark_as_paid: true });

async function payLightning({ test: client }: TestMerchant): Promise<{ id: string; invoice_id: string }> {
  const { invoice } = await createOrderWithInvoice(client);
  return (await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`)).body;
}

async function payCash(client: TestMerchant['test']): Promise<string> {
  const { body: order } = await client.post('/api/v1/m/orders', cashBody);
  return (await client.get(`/api/v1/m/orders/${order.id}`)).body.payment.id;
}

describeRefusals(() => app, {
  method: 'GET',
  path: (id) => `${path}/${id}`,
  permission: 'payments:read',
  resource: 'Payment',
  make: async (merchant) => (await payLightning(merchant)).id,
  makeLive: ({ live }) => payCash(live),
});

test('shows a lightning payment with its order and invoice', async () => {
  const merchant = await app.newMerchant();
  const payment = await payLightning(merchant);
  const reply = await merchant.test.get(`${path}/${payment.id}`);
  expect(reply.status).toBe(200);
  const { body: shown } = await merchant.test.get(`/api/v1/m/invoices/${payment.invoice_id}`);
  const { order, ...invoice } = shown;
  expect(reply.body).toEqual({ ...payment, order, invoice });
});

test('shows a cash payment without invoice, preimage, prices and variances', async () => {
  const { test: client } = await app.newMerchant();
  const { body: order } = await client.post('/api/v1/m/orders', cashBody);
  const { body: list } = await client.get(`${path}?q[order_id_eq]=${order.id}`);
  const { status, body } = await client.get(`${path}/${list.data[0].id}`);
  const now = app.clock.now().toISOString();
  expect(status).toBe(200);
  expect(body).toEqual({
    object: 'payment',
    livemode: false,
    id: anId(),
    amount_sats: null,
    preimage: null,
    confirmed_at: now,
    settled_at: now,
    order_id: order.id,
    invoice_id: null,
    channel_id: null,
    payment_hash: null,
    created_at: now,
    updated_at: now,
    currency: 'eur',
    confirmations: 0,
    required_confirmations: 0,
    metadata: {},
    order,
    invoice: null,
  });
  expect(list.data[0]).toEqual(body);
});

test('has no preimage while the wallet has only given its word', async () => {
  const merchant = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(merchant.test);
  await app.rows(
    `insert into simulated_payments (payment_hash, settles_at, received_msat, with_preimage, created_at)
     values ($1, $2, 5000000, false, $2)`,
    [invoice.payment_hash, app.clock.now()],
  );
  const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
  expect(payment).toMatchObject({ preimage: null, payment_hash: invoice.payment_hash, amount_sats: 5000 });
  expect((await merchant.test.get(`${path}/${payment.id}`)).body.preimage).toBeNull();
});

test('keeps showing what the payment said, whatever becomes of wallet and rate', async () => {
  const merchant = await app.newMerchant();
  const payment = await payLightning(merchant);
  await changeWallet(app, await testWalletId(app, merchant), { enabled: false });
  app.clock.advanceSeconds(86_400 * 365);
  expect((await merchant.test.get(`${path}/${payment.id.toUpperCase()}`)).body).toMatchObject(payment);
});
