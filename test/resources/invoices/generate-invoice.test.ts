import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../src/kernel/errors.ts';
import { decodeBolt11 } from '../../../src/lightning/bolt11.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { a32ByteHex, anId, books, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/invoices/generate';
const generate = (client: Client, order_id: string) => client.post(path, { order_id });
const pay = (client: Client, invoiceId: string) => client.post(`/api/v1/m/invoices/${invoiceId}/simulate_payment`);

describeRefusals(() => app, {
  method: 'POST',
  path: () => path,
  body: (id) => ({ order_id: id }),
  permission: 'orders:write',
  resource: 'Order',
  make: async ({ test }) => (await createOrder(test)).id,
  makeLive: async ({ live }) => (await createOrder(live)).id,
  success: 201,
});

test('answers every member of a new invoice with its order, and records it', async () => {
  const merchant = await app.newMerchant();
  const order = await createOrder(merchant.test, { total_amount_cents: 1 });
  app.clock.advanceSeconds(2);
  const now = app.clock.now();
  const reply = await generate(merchant.test, order.id);
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'invoice',
    livemode: false,
    id: anId(),
    payment_method: 'lightning',
    amount_sats: 10,
    status: 'pending',
    expires_at: new Date(now.getTime() + 900_000).toISOString(),
    paid_at: null,
    order_id: order.id,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
    payment_request: expect.stringMatching(/^lnbcrt100n1[02-9ac-hj-np-z]+$/),
    payment_hash: a32ByteHex(),
    expired: false,
    time_until_expiry: 900,
    metadata: { provider: 'simulated', mode: 'test' },
    order: { ...order, wallet_id: await testWalletId(app, merchant), updated_at: now.toISOString() },
  });
  const decoded = decodeBolt11(reply.body.payment_request);
  expect(decoded).toMatchObject({ amountMsat: 10_000n, paymentHash: reply.body.payment_hash, network: 'regtest' });
  expect(decoded.expiresAt.toISOString()).toBe(reply.body.expires_at);
  expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'invoice.created']);
});

test('takes payment_method lightning and the id in upper case', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client);
  const body = { order_id: order.id.toUpperCase(), payment_method: 'lightning' };
  expect((await client.post(path, body)).body.order_id).toBe(order.id);
  expect((await client.post(path, { ...body, payment_method: null })).status).toBe(201);
});

test('bodies that are wrong', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client);
  const before = await books(app);
  expectInvalid(await client.post(path), 'order_id is required');
  expectInvalid(await client.post(path, {}), 'order_id is required');
  for (const order_id of [null, 7, ['x']])
    expectInvalid(await client.post(path, { order_id }), 'order_id must be text');
  for (const payment_method of ['onchain', '', 'LIGHTNING']) {
    expectInvalid(await client.post(path, { order_id: order.id, payment_method }), 'payment_method must be lightning');
  }
  expect(await books(app)).toEqual(before);
});

describe('the existing invoice', () => {
  test('is answered again, its time running', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    app.clock.advanceSeconds(100);
    const { status, body } = await generate(client, order.id);
    expect(status).toBe(201);
    const { order: _, ...plain } = body;
    expect(plain).toEqual({ ...order.invoice, time_until_expiry: 800 });
    const requests = await app.rows('select id from invoice_requests where order_id = $1', [order.id]);
    expect(requests).toEqual([]);
  });

  test('serves to the last minute; then there is a new one and the old one closes', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    app.clock.advanceSeconds(840);
    expect((await generate(client, order.id)).body).toMatchObject({ id: order.invoice.id, time_until_expiry: 60 });
    app.clock.advanceSeconds(1);
    const { body: next } = await generate(client, order.id);
    expect(next).toMatchObject({ status: 'pending', time_until_expiry: 900, amount_sats: 5000 });
    expect(next.id).not.toBe(order.invoice.id);
    expect(next.payment_hash).not.toBe(order.invoice.payment_hash);
    const { body: old } = await client.get(`/api/v1/m/invoices/${order.invoice.id}`);
    expect(old).toMatchObject({ status: 'expired', expired: true, time_until_expiry: 0 });
  });

  test('is one for parallel calls, and the wallet is asked once (case C029)', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client);
    const replies = await Promise.all(Array.from({ length: 8 }, () => generate(client, order.id)));
    expect(replies.map((reply) => reply.status)).toEqual(Array(8).fill(201));
    expect(new Set(replies.map(({ body }) => `${body.id} ${body.payment_request}`)).size).toBe(1);
    const requests = await app.rows('select state from invoice_requests where order_id = $1', [order.id]);
    expect(requests).toEqual([{ state: 'issued' }]);
  });
});

describe('what is asked for', () => {
  test('is the new amount after a change', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    await client.patch(`/api/v1/m/orders/${order.id}`, { order: { total_amount_cents: 1000, currency: 'eur' } });
    const { body } = await generate(client, order.id);
    expect(body.amount_sats).toBe(11_628);
    expect(body.order.total_amount_sats).toBe(11_628);
  });

  test('is only what is still due after a first payment', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    await client.patch(`/api/v1/m/orders/${order.id}`, { order: { total_amount_cents: 700 } });
    await pay(client, order.invoice.id);
    const { body } = await generate(client, order.id);
    expect(body).toMatchObject({ amount_sats: 2000, order: { status: 'pending', total_amount_cents: 700 } });
    await pay(client, body.id);
    const { body: shown } = await client.get(`/api/v1/m/orders/${order.id}`);
    expect(shown).toMatchObject({ status: 'paid', attention: null });
  });

  test('is worked out anew from a fresh rate once the quote is 15 minutes old', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client);
    const fixed = app.parts.rates.test.quote('usd');
    vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => ({
      ...fixed,
      btcUsd: '50000.00',
      btcFiat: '50000.00',
    }));
    app.clock.advanceSeconds(899);
    expect((await generate(client, order.id)).body.amount_sats).toBe(5000);
    app.clock.advanceSeconds(900);
    const { body } = await generate(client, order.id);
    expect(body.amount_sats).toBe(10_000);
    expect(body.order).toMatchObject({ total_amount_sats: 10_000, btc_fiat_price_at_creation: '50000.00' });
  });

  test('needs a fresh rate then', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client);
    app.clock.advanceSeconds(900);
    vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
      throw new AppError('rate_unavailable', 'No fresh rate');
    });
    const before = await books(app);
    expectError(await generate(client, order.id), 'rate_unavailable');
    expect(await books(app)).toEqual(before);
  });
});

test('an order that is paid has the invoice that paid it', async () => {
  const merchant = await app.newMerchant();
  const { test: client } = merchant;
  const order = await createOrderWithInvoice(client);
  await pay(client, order.invoice.id);
  const before = await books(app);
  const again = await generate(client, order.id);
  expect([again.status, again.body]).toMatchObject([
    201,
    { id: order.invoice.id, status: 'paid', expired: false, order: { id: order.id, status: 'paid' } },
  ]);
  expect(await books(app)).toEqual(before);

  const late = await createOrderWithInvoice(client);
  await client.delete(`/api/v1/m/orders/${late.id}`);
  await pay(client, late.invoice.id);
  expectError(await generate(client, late.id), 'conflict', { message: /^The order is cancelled/ });
});

describe('orders that get none', () => {
  test('are cash, paid in cash or cancelled', async () => {
    const { test: client } = await app.newMerchant();
    const cash = await createOrder(client, { tender_type: 'cash' });
    const { body: paidCash } = await client.post(
      '/api/v1/m/orders',
      orderBody({ tender_type: 'cash' }, { mark_as_paid: true }),
    );
    const cancelled = await createOrderWithInvoice(client);
    await client.delete(`/api/v1/m/orders/${cancelled.id}`);
    const before = await books(app);
    expectError(await generate(client, cash.id), 'conflict', { message: /paid in cash/ });
    expectError(await generate(client, paidCash.id), 'conflict', { message: /^The order is paid/ });
    expectError(await generate(client, cancelled.id), 'conflict', { message: /^The order is cancelled/ });
    expect(await books(app)).toEqual(before);
  });

  test('owe nothing', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { total_amount_cents: 0 });
    expectInvalid(await generate(client, order.id), /nothing left to pay/);
  });
});

describe('wallets', () => {
  test('too small for the amount: named with the largest limit', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { max_payment_sats: 4999 });
    const order = await createOrder(merchant.test);
    const before = await books(app);
    expectError(await generate(merchant.test, order.id), 'amount_exceeds_wallet_limits', {
      message: /5000 sats.*4999 sats/,
    });
    expect(await books(app)).toEqual(before);
  });

  test('none, disabled ones, and ones that cannot show a settlement', async () => {
    const merchant = await app.newMerchant();
    const [live, order] = [await createOrder(merchant.live), await createOrder(merchant.test)];
    expectError(await generate(merchant.live, live.id), 'no_wallet');
    const walletId = await testWalletId(app, merchant);
    await changeWallet(app, walletId, { settlement_visibility: 'none' });
    expectError(await generate(merchant.test, order.id), 'no_wallet');
    await changeWallet(app, walletId, { settlement_visibility: 'proof', enabled: false });
    expectError(await generate(merchant.test, order.id), 'no_wallet');
  });

  test('one that fails: a clean 503, no invoice to be seen, and the retry works (case C131)', async () => {
    const merchant = await app.newMerchant();
    const walletId = await testWalletId(app, merchant);
    const order = await createOrder(merchant.test);
    await changeWallet(app, walletId, { settings: { fail: true } });
    const before = await books(app);
    expectError(await generate(merchant.test, order.id), 'wallet_unavailable', { message: /No wallet could make/ });
    expect(await books(app)).toEqual(before);
    await changeWallet(app, walletId, { settings: {} });
    expect((await generate(merchant.test, order.id)).status).toBe(201);
  });

  test('the next in line when the first fails; the pinned one alone when there is one', async () => {
    const merchant = await app.newMerchant();
    const first = await testWalletId(app, merchant);
    const second = await addWallet(app, merchant);
    const [free, pinned] = [await createOrder(merchant.test), await createOrder(merchant.test, { wallet_id: first })];
    await changeWallet(app, first, { settings: { fail: true } });
    expect((await generate(merchant.test, free.id)).body.order.wallet_id).toBe(second);
    expectError(await generate(merchant.test, pinned.id), 'wallet_unavailable');
  });

  test('one that holds a payment: no second invoice meanwhile', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { settings: { hold: true } });
    const order = await createOrderWithInvoice(merchant.test);
    const status = await merchant.test.get(`/api/v1/m/invoices/${order.invoice.id}/status`);
    expect(status.body).toMatchObject({ status: 'pending', held: true });
    app.clock.advanceSeconds(880);
    expectError(await generate(merchant.test, order.id), 'conflict', { message: /on its way/ });
  });
});
