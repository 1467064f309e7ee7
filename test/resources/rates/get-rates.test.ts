import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectError, expectInvalid } from '../../harness/expect.ts';

let app: TestApp;
let withoutRates: TestApp;
beforeAll(async () => {
  app = await openTestApp();
  // Nobody answers there, so live mode never gets a price.
  withoutRates = await openTestApp({
    env: { RATE_SOURCES: 'coinbase=http://127.0.0.1:9/,kraken=http://127.0.0.1:9/' },
  });
});
afterAll(async () => {
  await app.close();
  await withoutRates.close();
});

const path = '/api/v1/rates';

test('secret and publishable keys may ask; web pages may read the answer', async () => {
  const merchant = await app.newMerchant();
  for (const client of [merchant.test, merchant.publishable]) {
    const reply = await client.get(path);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      object: 'rate',
      btc_usd: '100000.00',
      currency: 'usd',
      btc_fiat: '100000.00',
      source: 'fixed',
      fetched_at: '2027-03-01T10:00:00.000Z',
      stale: false,
    });
    expect(reply.body.rates.jpy).toMatch(/^\d+\.\d\d$/);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
  }
  expectError(await app.stranger.get(path), 'missing_token');
  const preflight = await app.app.inject({ method: 'OPTIONS', url: path });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
});

test('each mode has its own rate', async () => {
  const merchant = await app.newMerchant();
  expect((await merchant.live.get(path)).body.btc_usd).toBe('50000.00');
});

test('takes a currency in any case and names an unknown one', async () => {
  const { test: client } = await app.newMerchant();
  expect((await client.get(`${path}?currency=KWD`)).body.currency).toBe('kwd');
  expectInvalid(await client.get(`${path}?currency=xyz`), /^currency "xyz" is not/);
  expectInvalid(await client.get(`${path}?currency=usd&currency=eur`), 'currency is given more than once');
});

test('without a price bitcoin orders wait, while cash goes on', async () => {
  const { live } = await withoutRates.newMerchant();
  expectError(await live.get(path), 'rate_unavailable');
  const order = { total_amount_cents: 500, items: [{ name: 'Coffee', price_cents: 500, qty: 1 }] };
  const bitcoin = await live.post('/api/v1/m/orders', { order });
  expectError(bitcoin, 'rate_unavailable');
  expect(bitcoin.body.error.message).not.toMatch(/wallet/);
  const cash = await live.post('/api/v1/m/orders', { order: { ...order, tender_type: 'cash' }, mark_as_paid: true });
  expect(cash.status).toBe(201);
  expect(cash.body).toMatchObject({ total_amount_sats: 0, btc_usd_price_at_creation: null, status: 'paid' });
});

test('without a price what is free is complete all the same, and its payment leaves the prices out', async () => {
  const { live } = await withoutRates.newMerchant();
  const body = { checkout_session: { amount_cents: 0, currency: 'jpy' } };
  expect((await live.post('/api/v1/checkout_sessions', body)).status).toBe(201);
  const { status, body: payments } = await live.get('/api/v1/m/payments');
  expect(status).toBe(200);
  expect(payments.data).toHaveLength(1);
  expect(payments.data[0]).toMatchObject({ amount_sats: 0, usd_value_at_payment: '0.00', fiat_value_at_payment: '0' });
  expect(Object.keys(payments.data[0]).filter((name) => name.startsWith('btc_'))).toEqual([]);
});
