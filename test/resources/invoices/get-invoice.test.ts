import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addLiveWallet, type LiveWallet } from '../../harness/wallets.ts';

let app: TestApp;
let live: LiveWallet;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
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
  path: (id) => `${path}/${id}`,
  permission: 'orders:read',
  resource: 'Invoice',
  make: async ({ test }) => (await createOrderWithInvoice(test)).invoice.id,
  makeLive: (merchant) => live.invoiceFor(merchant),
});

const read = async (merchant: TestMerchant, id: string) => (await merchant.test.get(`${path}/${id}`)).body;

test('shows every member with the order', async () => {
  const merchant = await app.newMerchant();
  const { invoice, ...order } = await createOrderWithInvoice(merchant.test);
  const reply = await merchant.test.get(`${path}/${invoice.id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({ ...invoice, order });
});

test('its time runs down to the second it ends, by the clock alone (case C027)', async () => {
  const merchant = await app.newMerchant();
  const { invoice, id } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(0.4);
  expect(await read(merchant, invoice.id)).toMatchObject({ time_until_expiry: 900, status: 'pending' });
  app.clock.advanceSeconds(899.599);
  expect(await read(merchant, invoice.id)).toMatchObject({ time_until_expiry: 1, status: 'pending', expired: false });
  app.clock.advanceSeconds(0.001);
  const expired = await read(merchant, invoice.id);
  expect(expired).toMatchObject({ time_until_expiry: 0, status: 'expired', expired: true, paid_at: null });
  // The order says nothing of it, and every other door agrees.
  expect(expired.order.status).toBe('pending');
  const { body: shown } = await merchant.test.get(`/api/v1/m/orders/${id}?expand=invoice`);
  expect(shown.invoice).toMatchObject({ status: 'expired', expired: true, time_until_expiry: 0 });
  const { body: status } = await merchant.test.get(`${path}/${invoice.id}/status`);
  expect(status).toMatchObject({ status: 'expired', expired: true, paid: false });
});

test('reads a day later, with nothing negative (case C008)', async () => {
  const merchant = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(86_400);
  expect(await read(merchant, invoice.id)).toMatchObject({ status: 'expired', time_until_expiry: 0 });
});

test('shows a paid invoice with its paid order', async () => {
  const merchant = await app.newMerchant();
  const { invoice, id } = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(10);
  const at = app.clock.now().toISOString();
  await merchant.test.post(`${path}/${invoice.id}/simulate_payment`);
  app.clock.advanceSeconds(86_400);
  const shown = await read(merchant, invoice.id);
  const { order, ...plain } = shown;
  expect(plain).toEqual({ ...invoice, status: 'paid', paid_at: at, updated_at: at, time_until_expiry: 0 });
  expect(order).toMatchObject({ id, status: 'paid' });
});

test('names the kind of connection and the mode in its metadata', async () => {
  const merchant = await app.newMerchant();
  const id = await live.invoiceFor(merchant);
  const { body } = await merchant.live.get(`${path}/${id}`);
  expect(body).toMatchObject({ livemode: true, metadata: { provider: 'lightning_address', mode: 'live' } });
  expect(body.payment_request).toMatch(/^lnbc\d+[munp]?1/);
});
