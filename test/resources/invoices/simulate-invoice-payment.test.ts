import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { a32ByteHex, anId, books, eventBodies, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, changeWallet, testWalletId } from '../../harness/wallets.ts';
import { LnurlServer } from '../../support/lnurl-server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = (id: string) => `/api/v1/m/invoices/${id}/simulate_payment`;
const pay = (client: Client, id: string, body?: unknown) => client.post(path(id), body);

describeRefusals(() => app, {
  method: 'POST',
  path,
  permission: 'orders:write',
  resource: 'Invoice',
  make: async ({ test }) => (await createOrderWithInvoice(test)).invoice.id,
});

test('answers every member of the payment, and records the whole story in one go', async () => {
  const merchant = await app.newMerchant();
  const { invoice, ...order } = await createOrderWithInvoice(merchant.test, { channel_id: 'channel' });
  app.clock.advanceSeconds(20);
  const now = app.clock.now().toISOString();
  const reply = await pay(merchant.test, invoice.id);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    object: 'payment',
    livemode: false,
    id: anId(),
    amount_sats: 5000,
    preimage: a32ByteHex(),
    confirmed_at: now,
    settled_at: now,
    order_id: order.id,
    invoice_id: invoice.id,
    channel_id: 'channel',
    payment_hash: invoice.payment_hash,
    created_at: now,
    updated_at: now,
    btc_usd_price_at_payment: '100000.00',
    usd_value_at_payment: '5.00',
    variance_percentage: '0.00',
    usd_variance_cents: 0,
    fiat_variance_cents: 0,
    currency: 'usd',
    btc_fiat_price_at_payment: '100000.00',
    fiat_value_at_payment: '5.00',
    confirmations: 0,
    required_confirmations: 0,
    metadata: {},
  });
  expect(await eventKinds(app, merchant.id)).toEqual([
    'order.created',
    'invoice.created',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.paid',
  ]);
  const { body: shown } = await merchant.test.get(`/api/v1/m/invoices/${invoice.id}`);
  const { order: shownOrder, ...plain } = shown;
  expect((await eventBodies(app, merchant.id, 'invoice.paid'))[0].data).toEqual(plain);
  expect((await eventBodies(app, merchant.id, 'order.paid'))[0].data).toEqual(shownOrder);
  for (const kind of ['payment.received', 'payment.confirmed']) {
    expect((await eventBodies(app, merchant.id, kind))[0].data).toEqual(reply.body);
  }
  expect(shownOrder).toEqual({ ...order, status: 'paid', updated_at: now });
  await vi.waitFor(async () => {
    const { body: wallet } = await merchant.test.get(`/api/v1/m/wallets/${order.wallet_id}`);
    expect(wallet.last_transaction_at).toBe(now);
  });
});

test('paying again, later and in parallel answers the same payment', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  const replies = await Promise.all(Array.from({ length: 5 }, () => pay(client, invoice.id)));
  app.clock.advanceSeconds(5000);
  replies.push(await pay(client, invoice.id, { amount_sats: 9 }));
  for (const reply of replies) expect([reply.status, reply.body]).toEqual([200, replies[0]!.body]);
});

test('values the payment at the rate of its moment', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client, { currency: 'jpy', total_amount_cents: 1000 });
  expect(invoice.amount_sats).toBe(6290);
  vi.spyOn(app.parts.rates.test, 'quote').mockImplementation((currency) => ({
    btcUsd: '110000.00',
    btcFiat: '17490000.00',
    currency,
    source: 'fixed',
    fetchedAt: app.clock.now(),
    stale: false,
  }));
  const { body } = await pay(client, invoice.id);
  expect(body).toMatchObject({
    currency: 'jpy',
    btc_fiat_price_at_payment: '17490000.00',
    fiat_value_at_payment: '1100',
    fiat_variance_cents: 100,
    variance_percentage: '10.00',
    btc_usd_price_at_payment: '110000.00',
    usd_value_at_payment: '6.92',
    // Quoted were 6.29 dollars.
    usd_variance_cents: 63,
  });
});

test.each([
  ['usd', 860],
  ['eur', 1000],
])('a conversion fee is more than was quoted in %s and in dollars alike', async (currency, usd_variance_cents) => {
  const { test: client } = await app.newMerchant();
  await client.patch('/api/v1/m/merchant', { merchant: { conversion_fee_percent: '10' } });
  const { invoice } = await createOrderWithInvoice(client, { currency, total_amount_cents: 8600 });
  const { body } = await pay(client, invoice.id);
  expect(body).toMatchObject({ fiat_variance_cents: 860, variance_percentage: '10.00', usd_variance_cents });
});

describe('amount_sats', () => {
  test('above what was asked flags the order as overpaid', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    const { body } = await pay(merchant.test, order.invoice.id, { amount_sats: 6000 });
    expect(body).toMatchObject({ amount_sats: 6000, fiat_variance_cents: 100, variance_percentage: '20.00' });
    const { body: shown } = await merchant.test.get(`/api/v1/m/orders/${order.id}`);
    expect(shown).toMatchObject({ status: 'paid', attention: 'overpaid', total_amount_sats: 5000 });
    expect((await eventKinds(app, merchant.id)).slice(-2)).toEqual(['order.paid', 'order.attention']);
  });

  test('below it is recorded as it came: the wallet said that the invoice is paid', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    const { body } = await pay(client, order.invoice.id, { amount_sats: 4990 });
    expect(body).toMatchObject({ amount_sats: 4990, fiat_variance_cents: -1, variance_percentage: '-0.20' });
    expect((await client.get(`/api/v1/m/orders/${order.id}`)).body).toMatchObject({ status: 'paid', attention: null });
  });

  test('may be all there is, in the cheapest currency there is', async () => {
    const { test: client } = await app.newMerchant();
    const { invoice } = await createOrderWithInvoice(client, { currency: 'irr' });
    const { status, body } = await pay(client, invoice.id, { amount_sats: 2_100_000_000_000_000 });
    expect(status).toBe(200);
    expect(body.amount_sats).toBe(2_100_000_000_000_000);
  });

  test('of an invoice far beyond 2^31 msat is exact (case C079)', async () => {
    const { test: client } = await app.newMerchant();
    for (const total_amount_cents of [230_000, 2_147_483_648, 900_000_000_001]) {
      const { invoice } = await createOrderWithInvoice(client, { total_amount_cents });
      expect(invoice.amount_sats).toBe(total_amount_cents * 10);
      expect((await pay(client, invoice.id)).body).toMatchObject({ amount_sats: total_amount_cents * 10 });
    }
  });
});

describe('after_seconds', () => {
  test('pays later, by itself, at that moment', async () => {
    const merchant = await app.newMerchant();
    const { invoice, id } = await createOrderWithInvoice(merchant.test);
    const settlesAt = new Date(app.clock.now().getTime() + 60_000).toISOString();
    const { status, body } = await pay(merchant.test, invoice.id, { after_seconds: 60 });
    expect(status).toBe(200);
    expect(body).toEqual({ object: 'scheduled_payment', invoice_id: invoice.id, settles_at: settlesAt });
    const read = async () => (await merchant.test.get(`/api/v1/m/orders/${id}`)).body;
    expect((await read()).status).toBe('pending');
    app.clock.advanceSeconds(61);
    await vi.waitFor(async () => expect((await read()).status).toBe('paid'), { timeout: 10_000 });
    expect((await read()).payment.settled_at).toBe(settlesAt);
  });

  test('past the end of the invoice is late: true time, order paid and flagged (case C024)', async () => {
    const merchant = await app.newMerchant();
    const { invoice, id } = await createOrderWithInvoice(merchant.test);
    await pay(merchant.test, invoice.id, { after_seconds: 960 });
    app.clock.advanceSeconds(930);
    expect((await merchant.test.get(`/api/v1/m/invoices/${invoice.id}`)).body.status).toBe('expired');
    app.clock.advanceSeconds(60);
    await merchant.test.get(`/api/v1/m/invoices/${invoice.id}/status`);
    const paidAt = new Date(Date.parse(invoice.created_at) + 960_000).toISOString();
    const { body: shown } = await merchant.test.get(`/api/v1/m/invoices/${invoice.id}`);
    expect(shown).toMatchObject({ status: 'paid', paid_at: paidAt, expired: false });
    const { body: order } = await merchant.test.get(`/api/v1/m/orders/${id}`);
    expect(order).toMatchObject({ status: 'paid', attention: 'paid_late' });
    const { body: payments } = await merchant.test.get(`/api/v1/m/payments?q[order_id_eq]=${id}`);
    expect(payments.data).toHaveLength(1);
    expect(payments.data[0].settled_at).toBe(paidAt);
  });

  test('is brought forward by a payer who pays now', async () => {
    const { test: client } = await app.newMerchant();
    const { invoice } = await createOrderWithInvoice(client);
    await pay(client, invoice.id, { after_seconds: 600 });
    expect((await pay(client, invoice.id)).body).toMatchObject({ object: 'payment', invoice_id: invoice.id });
  });
});

test('a second invoice of a paid order makes a second payment and a flag, no second sale', async () => {
  const merchant = await app.newMerchant();
  const order = await createOrderWithInvoice(merchant.test);
  app.clock.advanceSeconds(850);
  const { body: second } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
  const [one, two] = [await pay(merchant.test, second.id), await pay(merchant.test, order.invoice.id)];
  expect(one.body.id).not.toBe(two.body.id);
  const { body: shown } = await merchant.test.get(`/api/v1/m/orders/${order.id}`);
  expect(shown).toMatchObject({ status: 'paid', attention: 'overpaid' });
  const kinds = await eventKinds(app, merchant.id);
  expect(kinds.filter((kind) => kind === 'order.paid')).toHaveLength(1);
  expect(kinds.filter((kind) => kind === 'payment.confirmed')).toHaveLength(2);
});

describe('refuses besides', () => {
  test('live keys, whatever the id', async () => {
    const { live } = await app.newMerchant();
    expectError(await pay(live, 'not-a-uuid'), 'forbidden', { message: 'Only a test key can do this' });
  });

  test('an invoice of a real wallet', async () => {
    const server = await LnurlServer.start(app.clock);
    try {
      const merchant = await app.newMerchant();
      const connection = { connection: 'lightning_address' as const, lightning_address: server.address };
      await addWallet(app, merchant, { ...connection, position: 0 });
      const { invoice } = await createOrderWithInvoice(merchant.test);
      const before = await books(app);
      expectInvalid(await pay(merchant.test, invoice.id), /simulated test wallet/);
      expect(await books(app)).toEqual(before);
    } finally {
      await server.stop();
    }
  });

  test('while the wallet is set to fail; the payment comes when it answers again', async () => {
    const merchant = await app.newMerchant();
    const walletId = await testWalletId(app, merchant);
    const { invoice } = await createOrderWithInvoice(merchant.test);
    await changeWallet(app, walletId, { settings: { fail: true } });
    const before = await books(app);
    expectError(await pay(merchant.test, invoice.id), 'wallet_unavailable');
    expect(await books(app)).toEqual(before);
    await changeWallet(app, walletId, { settings: {} });
    expect((await pay(merchant.test, invoice.id)).status).toBe(200);
  });

  test.each([
    [{ after_seconds: -1 }, 'after_seconds must be at least 0'],
    [{ after_seconds: '5' }, 'after_seconds must be a whole number'],
    [{ after_seconds: 604_801 }, 'after_seconds must be at most 604800'],
    [{ amount_sats: 0 }, 'amount_sats must be at least 1'],
    [{ amount_sats: 1.5 }, 'amount_sats must be a whole number'],
    [{ amount_sats: 2_100_000_000_000_001 }, 'amount_sats must be at most 2100000000000000'],
    [[], 'the body must be an object'],
  ])('%j', async (body, sentence) => {
    const { test: client } = await app.newMerchant();
    const { invoice } = await createOrderWithInvoice(client);
    const before = await books(app);
    expectInvalid(await pay(client, invoice.id, body), sentence);
    expect(await books(app)).toEqual(before);
  });
});

test('takes no body, an empty one, and null for "not given"', async () => {
  const { test: client } = await app.newMerchant();
  for (const body of [undefined, {}, { after_seconds: null, amount_sats: null }]) {
    const { invoice } = await createOrderWithInvoice(client);
    expect((await pay(client, invoice.id, body)).body.object).toBe('payment');
  }
});
