import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buy, buyAgain } from '../harness/access.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app.close());

const order = { total_amount_cents: 1000, items: [{ name: 'Tea', price_cents: 1000, qty: 1 }] };

test('a plan’s monthly volume ends new bitcoin orders, never cash, until the next month', async () => {
  await app.rows(`update merchants set plan_slug = 'starter' where id = $1`, [merchant.id]);
  await app.rows(`update plans set max_monthly_volume_cents = 1500 where slug = 'starter'`);
  for (let i = 0; i < 2; i++) {
    const made = await merchant.test.post('/api/v1/m/orders', { order, generate_invoice: true });
    expect(made.status).toBe(201);
    const paid = await merchant.test.post(`/api/v1/m/invoices/${made.body.invoice.id}/simulate_payment`, {});
    expect(paid.status).toBe(200);
  }
  const refused = await merchant.test.post('/api/v1/m/orders', { order });
  expect([refused.status, refused.body.error.code]).toEqual([422, 'volume_exceeded']);
  expect((await merchant.live.post('/api/v1/m/orders', { order })).status).toBe(201);
  const cash = { order: { ...order, tender_type: 'cash' }, mark_as_paid: true };
  expect((await merchant.test.post('/api/v1/m/orders', cash)).status).toBe(201);
  // A cash order does not become one in bitcoin on the way round.
  const till = await merchant.test.post('/api/v1/m/orders', { order: { ...order, tender_type: 'cash' } });
  const toBitcoin = { order: { tender_type: 'bitcoin' } };
  const turned = await merchant.test.patch(`/api/v1/m/orders/${till.body.id}`, toBitcoin);
  expect([turned.status, turned.body.error?.code]).toEqual([422, 'volume_exceeded']);
  app.clock.advanceSeconds(31 * 24 * 3600);
  expect((await merchant.test.post('/api/v1/m/orders', { order })).status).toBe(201);
});

test('payments in other currencies count as they were worth when they arrived, whatever the rate is now', async () => {
  const shop = await app.newMerchant();
  await app.rows(`update merchants set plan_slug = 'growth', currency = 'eur' where id = $1`, [shop.id]);
  const { rates } = app.parts;
  const fixed = rates.test.quote.bind(rates.test);
  let euroPrice = '50000';
  vi.spyOn(rates.test, 'quote').mockImplementation((currency) => {
    const rate = fixed(currency);
    return currency.toLowerCase() === 'eur' ? { ...rate, btcFiat: euroPrice } : rate;
  });
  const dollars = { ...order, currency: 'usd' };
  const made = await shop.test.post('/api/v1/m/orders', { order: dollars, generate_invoice: true });
  await shop.test.post(`/api/v1/m/invoices/${made.body.invoice.id}/simulate_payment`, {});
  const [{ merchant_currency, merchant_value, usd_value, btc_usd_price }] = (await app.rows(
    'select merchant_currency, merchant_value, usd_value, btc_usd_price from payments where order_id = $1',
    [made.body.id],
  )) as [Record<string, string>];
  expect([merchant_currency, usd_value]).toEqual(['eur', '10.00']);
  const worth = Math.round((1000 * 50_000) / Number(btc_usd_price));
  expect(Math.round(Number(merchant_value) * 100)).toBe(worth);

  const orders = async () => (await shop.test.post('/api/v1/m/orders', { order: dollars })).status;
  await app.rows(`update plans set max_monthly_volume_cents = $1 where slug = 'growth'`, [worth]);
  euroPrice = '1';
  expect(await orders()).toBe(422);
  await app.rows(`update plans set max_monthly_volume_cents = $1 where slug = 'growth'`, [worth + 1]);
  euroPrice = '5000000';
  expect(await orders()).toBe(201);
  // Nobody wrote down what it was worth in the currency that the merchant has chosen since.
  await app.rows(`update merchants set currency = 'jpy' where id = $1`, [shop.id]);
  // 10 dollars at 100,000 usd and 15,900,000 jpy a bitcoin.
  await app.rows(`update plans set max_monthly_volume_cents = 1590 where slug = 'growth'`);
  expect(await orders()).toBe(422);
  await app.rows(`update plans set max_monthly_volume_cents = 1591 where slug = 'growth'`);
  expect(await orders()).toBe(201);
});

test('a token’s usage shows the plan’s limit', async () => {
  const { body } = await merchant.test.get(`/api/v1/m/api_tokens/${merchant.test.id}/usage`);
  expect(body.rpm_limit).toBe(60);
});

test('an order’s key is handed out as often in an hour as the plan allows; the look at a token is not counted', async () => {
  const shop = await app.newMerchant();
  await app.rows(`update merchants set plan_slug = 'scale' where id = $1`, [shop.id]);
  await app.rows(`update plans set delivery_per_order_per_hour = 2 where slug = 'scale'`);
  const { product, token } = await buy(app, shop.test);
  const other = await buyAgain(app, shop.test, product.id);
  const media_key = { product_ids: [product.id] };
  const { id: media_key_id } = (await shop.test.post('/api/v1/m/media_keys', { media_key })).body;
  const verify = (access_token: string, wanted: object = { media_key_id }) =>
    shop.test.post('/api/v1/m/access/verify', { access_token, ...wanted });

  app.parts.authenticator.forget();
  for (let i = 0; i < 2; i++) expect((await verify(token)).body.key).toBeTypeOf('string');
  const refused = await verify(token);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
  expect(refused.body.error.message).toContain('2 times in this hour');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await verify(token, {})).status).toBe(200);
  expect((await verify(other.token)).status).toBe(200);
  app.clock.advanceSeconds(3600);
  expect((await verify(token)).status).toBe(200);
});

test('who guesses keys is counted by address, whatever address is claimed', async () => {
  const guess = (address: string) =>
    app.app.inject({
      method: 'GET',
      url: '/api/v1/m/merchant',
      headers: { authorization: `Bearer sk_test_${'a'.repeat(32)}`, 'x-forwarded-for': address },
    });
  expect((await guess('203.0.113.1')).statusCode).toBe(401);
  const limit = { name: 'minute', most: 6000 } as const;
  expect(app.parts.rateLimiter.take('address 127.0.0.1', [limit], 5998, app.clock.now()).taken).toBe(true);
  expect((await guess('203.0.113.2')).statusCode).toBe(401);
  expect((await guess('203.0.113.3')).statusCode).toBe(429);
});
