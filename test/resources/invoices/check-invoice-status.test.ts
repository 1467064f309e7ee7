import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { eventKinds } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addLiveWallet, changeWallet, type LiveWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
let live: LiveWallet;
beforeAll(async () => {
  app = await openTestApp();
  live = await addLiveWallet(app);
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
  await live.close();
});

const path = '/api/v1/m/invoices';

describeRefusals(() => app, {
  method: 'GET',
  path: (id) => `${path}/${id}/status`,
  permission: 'orders:read',
  resource: 'Invoice',
  make: async ({ test }) => (await createOrderWithInvoice(test)).invoice.id,
  makeLive: (merchant) => live.invoiceFor(merchant),
});

test('of an unpaid invoice has every member but the payment', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  const reply = await client.get(`${path}/${invoice.id}/status`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    status: 'pending',
    paid: false,
    expired: false,
    held: false,
    paid_at: null,
    expires_at: invoice.expires_at,
    payment_method: 'lightning',
  });
});

test('of a paid invoice shows the payment, the same at every call (case C033)', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  app.clock.advanceSeconds(30);
  const { body: payment } = await client.post(`${path}/${invoice.id}/simulate_payment`);
  const replies = [];
  for (let call = 0; call < 5; call++) {
    replies.push((await client.get(`${path}/${invoice.id}/status`)).body);
    app.clock.advanceSeconds(1000);
  }
  for (const body of replies) {
    expect(body).toEqual({
      status: 'paid',
      paid: true,
      expired: false,
      held: false,
      paid_at: payment.settled_at,
      expires_at: invoice.expires_at,
      payment_method: 'lightning',
      payment,
    });
  }
});

test('has the wallet asked: a payment that came meanwhile is seen in the same call', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  await client.post(`${path}/${invoice.id}/simulate_payment`, { after_seconds: 20 });
  expect((await client.get(`${path}/${invoice.id}/status`)).body.status).toBe('pending');
  app.clock.advanceSeconds(20);
  const { body } = await client.get(`${path}/${invoice.id}/status`);
  expect(body).toMatchObject({ status: 'paid', paid: true, payment: { invoice_id: invoice.id, amount_sats: 5000 } });
});

test('follows the clock past the end, and the event comes once', async () => {
  const merchant = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(901);
  for (let call = 0; call < 3; call++) {
    const { body } = await merchant.test.get(`${path}/${invoice.id}/status`);
    expect(body).toMatchObject({ status: 'expired', expired: true, paid: false, paid_at: null });
    app.clock.advanceSeconds(100);
  }
  const expired = (await eventKinds(app, merchant.id)).filter((kind) => kind === 'invoice.expired');
  expect(expired).toHaveLength(1);
});

test('of money on its way is neither paid nor expired, and says so', async () => {
  const merchant = await app.newMerchant();
  await changeWallet(app, await testWalletId(app, merchant), { settings: { hold: true } });
  const { invoice } = await createOrderWithInvoice(merchant.test);
  const { body } = await merchant.test.get(`${path}/${invoice.id}/status`);
  expect(body).toMatchObject({ status: 'pending', held: true, paid: false, expired: false });
  app.clock.advanceSeconds(1000);
  await merchant.test.get(`${path}/${invoice.id}/status`);
  expect(await eventKinds(app, merchant.id)).not.toContain('invoice.expired');
  await merchant.test.post(`${path}/${invoice.id}/simulate_payment`);
  const { body: paid } = await merchant.test.get(`${path}/${invoice.id}/status`);
  expect(paid).toMatchObject({ status: 'paid', held: false });
});

test('stays pending while the wallet does not answer, within the two seconds', async () => {
  const merchant = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(merchant.test);
  await changeWallet(app, await testWalletId(app, merchant), { settings: { fail: true } });
  expect((await merchant.test.get(`${path}/${invoice.id}/status`)).body.status).toBe('pending');
});
