import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { exchangedRoundedHalfUp } from '../../src/kernel/money.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';
import { books, eventKinds, expectError } from '../harness/expect.ts';
import { type AppWithWallets, FakeWallet, withWallets } from '../harness/fake-wallet.ts';
import { untilWaiting, whileLocked } from '../harness/interleave.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice } from '../harness/orders.ts';
import { ordersOf, subscribe } from '../harness/subscriptions.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

/** Test rates: 100,000 usd, 86,000 eur and 15,900,000 jpy a bitcoin. */
let app: TestApp;
let faked: AppWithWallets;
let wallet: FakeWallet;
let merchant: TestMerchant;
let client: Client;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  wallet = new FakeWallet(app.clock);
  faked = await withWallets(app, () => wallet.connector);
  merchant = await app.newMerchant();
  client = faked.client(merchant);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await faked.close();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';
const show = async (id: string) => (await client.get(`${path}/${id}`)).body;
const patch = (id: string, order: Record<string, unknown>) => client.patch(`${path}/${id}`, { order });
const generate = async (id: string) => (await client.post('/api/v1/m/invoices/generate', { order_id: id })).body;
const look = async (id: string) => {
  const row = (await findInvoiceForJob(app.parts.db, id, app.clock.now()))!;
  return lookUpInvoice(faked.parts, row, app.parts.stopping);
};
const pay = (invoice: { id: string; payment_hash: string }) => {
  wallet.pay(invoice.payment_hash);
  return look(invoice.id);
};

/** From now on no price is fresh. */
function withoutRates() {
  vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
    throw new AppError('rate_unavailable', 'There is no fresh price');
  });
}

describe('an invoice that the order’s former currency was shown on', () => {
  test('counts for its worth in the new one, never for its number, and a person is told', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 15_900, currency: 'jpy' });
    await patch(order.id, { currency: 'usd' });
    expect(await pay(order.invoice)).toMatchObject({
      currency: 'usd',
      amount_cents: 10_000,
      amount_sats: 100_000,
      fiat_value: '100.00',
      fiat_variance_cents: 0,
      variance_percentage: '0.00',
    });
    expect(await show(order.id)).toMatchObject({ status: 'pending', attention: 'paid_late' });
    expect(await eventKinds(app, merchant.id, order.id)).toEqual(['order.created', 'order.updated', 'order.attention']);
    const rest = await generate(order.id);
    expect(rest.amount_sats).toBe(59_000);
    await pay(rest);
    expect(await show(order.id)).toMatchObject({ status: 'paid' });
  });

  test('pays an order that asks for as much in the new one', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 10_000, currency: 'usd' });
    await patch(order.id, { currency: 'jpy', total_amount_cents: 15_900 });
    await pay(order.invoice);
    expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'paid_late' });
  });

  test('pays too much for an order that asks for less', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 10_000, currency: 'usd' });
    await patch(order.id, { currency: 'jpy', total_amount_cents: 10_000 });
    await pay(order.invoice);
    expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'overpaid' });
  });

  test('is credited what it showed, though bitcoin has moved since', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 10_000, currency: 'usd' });
    const { quote } = app.parts.rates.test;
    const halved = (price: string) => String(Number(price) / 2);
    vi.spyOn(app.parts.rates.test, 'quote').mockImplementation((currency) => {
      const rate = quote.call(app.parts.rates.test, currency);
      return { ...rate, btcUsd: halved(rate.btcUsd), btcFiat: halved(rate.btcFiat) };
    });
    await patch(order.id, { currency: 'eur', total_amount_cents: 8600 });
    expect(await pay(order.invoice)).toMatchObject({
      amount_cents: 8600,
      fiat_value: '43.00',
      variance_percentage: '-50.00',
    });
    expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'paid_late' });
  });

  test('counts so when it had expired already, beside newer ones, and after several changes', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 10_000, currency: 'usd' });
    app.clock.advanceSeconds(901);
    const second = await generate(order.id);
    await patch(order.id, { currency: 'jpy', total_amount_cents: 15_900 });
    await patch(order.id, { currency: 'usd', total_amount_cents: 15_900 });
    await pay(order.invoice);
    await pay(second);
    const payments = await app.rows<{ amount_cents: number; currency: string }>(
      'select amount_cents, currency from payments where order_id = $1',
      [order.id],
    );
    expect(payments).toEqual([
      { amount_cents: 10_000, currency: 'usd' },
      { amount_cents: 10_000, currency: 'usd' },
    ]);
    expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'overpaid' });
  });

  test('has a price in the new one where none is fresh when it is paid', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 10_000, currency: 'usd' });
    await patch(order.id, { currency: 'eur', tender_type: 'cash' });
    withoutRates();
    await pay(order.invoice);
    const [payment] = await app.rows(
      'select fiat_value, btc_fiat_price::float as price from payments where order_id = $1',
      [order.id],
    );
    expect(payment).toEqual({ fiat_value: '86.00', price: 86_000 });
    // 14.00 are left, which the till takes.
    expect((await patch(order.id, { status: 'paid' })).body).toMatchObject({ status: 'paid' });
    const cash = await app.rows(`select amount_cents from payments where order_id = $1 and kind = 'cash'`, [order.id]);
    expect(cash).toEqual([{ amount_cents: 1400 }]);
  });

  test('keeps the currency of its order while there is no rate; an order without one changes', async () => {
    const order = await createOrderWithInvoice(client);
    const plain = await createOrder(client);
    withoutRates();
    const before = await books(app);
    expectError(await patch(order.id, { currency: 'eur', tender_type: 'cash' }), 'rate_unavailable');
    expect(await books(app)).toEqual(before);
    expect((await patch(plain.id, { currency: 'eur', tender_type: 'cash' })).status).toBe(200);
  });

  test('may count for nothing, and the currency stays from then on', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 1, currency: 'irr' });
    await patch(order.id, { currency: 'usd', total_amount_cents: 100 });
    expect(await pay(order.invoice)).toMatchObject({ amount_cents: 0, variance_percentage: '0.00' });
    expect(await show(order.id)).toMatchObject({ status: 'pending', attention: 'paid_late' });
    expectError(await patch(order.id, { currency: 'irr' }), 'conflict');
  });
});

describe.runIf(onPostgres)('a change of the currency and a payment at the same moment', () => {
  test('the payment second: it counts in the new currency', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 15_900, currency: 'jpy' });
    const calls = await whileLocked(app, 'orders', order.id, async () => {
      const changing = patch(order.id, { currency: 'usd' });
      await untilWaiting(app, 1);
      const paying = pay(order.invoice);
      await untilWaiting(app, 2);
      return { changing, paying };
    });
    expect((await calls.changing).status).toBe(200);
    expect(await calls.paying).toMatchObject({ currency: 'usd', amount_cents: 10_000 });
    expect(await show(order.id)).toMatchObject({ status: 'pending', attention: 'paid_late' });
  });

  test('the payment first: the currency stays', async () => {
    const order = await createOrderWithInvoice(client, { total_amount_cents: 15_900, currency: 'jpy' });
    const calls = await whileLocked(app, 'orders', order.id, async () => {
      const paying = pay(order.invoice);
      await untilWaiting(app, 1);
      const changing = patch(order.id, { currency: 'usd' });
      await untilWaiting(app, 2);
      return { changing, paying };
    });
    expect(await calls.paying).toMatchObject({ currency: 'jpy', amount_cents: 15_900 });
    expectError(await calls.changing, 'conflict');
    expect(await show(order.id)).toMatchObject({ status: 'paid', currency: 'jpy', attention: null });
  });
});

test('an order of a subscription keeps its currency', async () => {
  const subscription = await subscribe(app, merchant.test);
  const [period] = await ordersOf(app, subscription);
  expectError(await patch(period!.id, { currency: 'eur' }), 'conflict', { message: /subscription/ });
});

test('amounts are exchanged exactly, across currencies with other minor units', () => {
  const usd = { currency: 'usd', price: decimal('100000') };
  const kwd = { currency: 'kwd', price: decimal('30700.00') };
  const jpy = { currency: 'jpy', price: decimal('15900000') };
  expect(exchangedRoundedHalfUp(1000, usd, kwd)).toBe(3070);
  expect(exchangedRoundedHalfUp(3070, kwd, usd)).toBe(1000);
  expect(exchangedRoundedHalfUp(1, usd, jpy)).toBe(2);
  expect(exchangedRoundedHalfUp(0, usd, jpy)).toBe(0);
  expect(() => exchangedRoundedHalfUp(Number.MAX_SAFE_INTEGER, usd, jpy)).toThrow(RangeError);
});
