import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createDiscount, createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { anId, books, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const server = '/api/v1/checkout_sessions';
const merchants = '/api/v1/m/checkout_sessions';
const open = '/api/v1/pub/checkout_sessions';

type Members = Record<string, unknown>;
const body = (members: Members = {}) => ({ checkout_session: { amount_cents: 2450, ...members } });

async function create(client: Client, members: Members = {}, path = server) {
  const reply = await client.post(path, body(members));
  expect([reply.status, reply.body.error]).toEqual([201, undefined]);
  return reply.body;
}
const sessions = () => app.rows('select * from checkout_sessions order by id');
/** Somebody looks at the page. */
const look = (token: string) => app.stranger.get(`/checkout/${token}/status`);
const pay = (token: string) => app.stranger.post(`/checkout/${token}/simulate_payment`);

const make = async (merchant: TestMerchant): Promise<string> => (await create(merchant.test)).id;
const makeLive = async (merchant: TestMerchant): Promise<string> => (await create(merchant.live)).id;

describe('creating', () => {
  for (const path of [server, merchants]) {
    describe(path, () => {
      describeRefusals(() => app, {
        method: 'POST',
        path: () => path,
        body: () => body(),
        permission: 'checkout:write',
        success: 201,
      });
    });
  }

  test('answers every member and makes neither order nor invoice', async () => {
    const merchant = await app.newMerchant();
    const metadata = { cart: 'A 17', nested: { deep: [1, null, 'ü'] } };
    const session = await create(merchant.test, {
      customer_email: ' ada@example.com ',
      customer_name: 'Ada',
      customer_phone: '+49 30 1',
      customer_address: 'Street 1\n12345 Town',
      success_url: 'https://shop.test/done?order=7#tab',
      cancel_url: 'https://shop.test/cart',
      checkout_mode: 'iframe',
      checkout_theme: 'dark',
      checkout_accent_color: '#FFD60A',
      metadata,
    });
    expect(session).toEqual({
      object: 'checkout_session',
      livemode: false,
      id: anId(),
      token: expect.stringMatching(/^cs_[0-9A-Za-z]{32}$/),
      checkout_url: `http://127.0.0.1:3000/checkout/${session.token}`,
      status: 'pending',
      expires_at: '2027-03-01T10:15:00.000Z',
      amount_cents: 2450,
      tax_amount_cents: 0,
      tax_details: [],
      discount_amount_cents: 0,
      currency: 'usd',
      product_id: null,
      order_id: null,
      customer_email: 'ada@example.com',
      customer_name: 'Ada',
      customer_phone: '+49 30 1',
      customer_address: 'Street 1\n12345 Town',
      success_url: 'https://shop.test/done?order=7#tab',
      cancel_url: 'https://shop.test/cart',
      checkout_mode: 'iframe',
      checkout_theme: 'dark',
      checkout_accent_color: '#ffd60a',
      privapaid_enabled: true,
      metadata,
      completed_at: null,
      created_at: '2027-03-01T10:00:00.000Z',
      updated_at: '2027-03-01T10:00:00.000Z',
    });
    expect(await eventKinds(app, merchant.id)).toEqual([]);
    expect(await app.rows('select id from orders where merchant_id = $1', [merchant.id])).toEqual([]);
  });

  test('takes the look from the merchant’s settings and the currency in any case', async () => {
    const { test: client } = await app.newMerchant();
    await client.patch('/api/v1/m/merchant', {
      merchant: { checkout_theme: 'dark', checkout_accent_color: '#123456', privapaid_enabled: false },
    });
    expect(await create(client, { currency: 'JPY' })).toMatchObject({
      checkout_mode: 'redirect',
      checkout_theme: 'dark',
      checkout_accent_color: '#123456',
      privapaid_enabled: false,
      currency: 'jpy',
      amount_cents: 2450,
    });
  });

  test('a merchant with the longest of names has checkouts, wherever the name is cut for their one line', async () => {
    const { test: client } = await app.newMerchant();
    for (const name of ['🥨'.repeat(250), `x${'🥨'.repeat(249)}x`]) {
      expect((await client.patch('/api/v1/m/merchant', { merchant: { name } })).status).toBe(200);
      const { token } = await create(client);
      expect((await look(token)).body.status).toBe('pending');
    }
  });

  test('a product wins over the amount, by id and by slug, with its taxes and a discount', async () => {
    const { test: client } = await app.newMerchant();
    const tax = await createTax(client, { rate: '10', inclusive: false });
    const type = await createProductType(client, { tax_ids: [tax.id] });
    const product = await createProduct(client, { price_cents: 1000, currency: 'eur', product_type_id: type.id });
    const discount = await createDiscount(client, { code: 'TEN', percent: '10' });
    for (const product_id of [product.id, product.slug]) {
      expect(await create(client, { product_id, amount_cents: 1, currency: 'usd' })).toMatchObject({
        amount_cents: 1100,
        tax_amount_cents: 100,
        tax_details: [{ tax_id: tax.id, rate: expect.stringMatching(/^10/), inclusive: false, amount_cents: 100 }],
        currency: 'eur',
        product_id: product.id,
      });
    }
    const discounted = await create(client, { product_id: product.id, discount_code: 'TEN' });
    expect(discounted).toMatchObject({ amount_cents: 990, discount_amount_cents: 100, tax_amount_cents: 90 });
    await look(discounted.token);
    const [order] = (await client.get('/api/v1/m/orders')).body.data;
    expect(order).toMatchObject({ total_amount_cents: 990, discount_id: discount.id });
  });

  test('blanks around what a customer typed mean nothing', async () => {
    const { test: client } = await app.newMerchant();
    const product = await createProduct(client, { price_cents: 1000 });
    await createDiscount(client, { code: 'TEN', percent: '10' });
    const typed = { product_id: product.id, discount_code: ' ten\n', customer_name: '  Ann  ' };
    expect(await create(client, typed)).toMatchObject({ amount_cents: 900, customer_name: 'Ann' });
    expect(await create(client, { customer_name: '', discount_code: ' ' })).toMatchObject({ customer_name: '' });
  });

  test.each<[string, Members, string]>([
    ['neither amount nor product', { amount_cents: undefined }, 'amount_cents or product_id is required'],
    ['a discount code beside an amount', { discount_code: 'TEN' }, 'discount_code counts only with product_id'],
    ['a fraction of a cent', { amount_cents: 24.5 }, 'amount_cents must be a whole number'],
    ['an amount as text', { amount_cents: '2450' }, 'amount_cents must be a whole number'],
    ['less than nothing', { amount_cents: -1 }, 'amount_cents must be at least 0'],
    ['an unknown currency', { currency: 'xyz' }, 'currency must be a known currency code'],
    ['a broken e-mail address', { customer_email: 'a@b..co' }, 'customer_email must be an e-mail address'],
    [
      'a colour that closes a rule',
      { checkout_accent_color: '#fff}a{' },
      'checkout_accent_color must be a colour as #rrggbb',
    ],
    ['no colour', { checkout_accent_color: '' }, 'checkout_accent_color must be a colour as #rrggbb'],
    ['a short colour', { checkout_accent_color: '#fff' }, 'checkout_accent_color must be a colour as #rrggbb'],
    [
      'a success_url of a script',
      { success_url: 'javascript:alert(1)' },
      'success_url must be an absolute http(s) address',
    ],
  ])('refuses %s', async (_name, members, sentence) => {
    const { test: client } = await app.newMerchant();
    const before = [await books(app), await sessions()];
    for (const path of [server, merchants]) expectInvalid(await client.post(path, body(members)), sentence);
    expect([await books(app), await sessions()]).toEqual(before);
  });

  test.each([
    '',
    'JaVaScRiPt://h/%0aalert(1)',
    'data:text/html,x',
    '//evil.test',
    'https:\\\\evil.test',
    '\tjavascript:alert(1)',
    'https://user:pw@shop.test/',
    'https:/shop.test',
    'ftp://shop.test/',
    'https://',
    'https://shop.test/a b',
    'shop.test/done',
  ])('refuses to lead payers to %j (case C059)', async (url) => {
    const { test: client, publishable } = await app.newMerchant();
    for (const member of ['success_url', 'cancel_url']) {
      const sentence = `${member} must be an absolute http(s) address`;
      expectInvalid(await client.post(server, body({ [member]: url })), sentence);
      expectInvalid(await publishable.post(open, body({ [member]: url })), sentence);
    }
  });

  test('a product of nobody or of somebody else is a 404, one that is not for sale a 422', async () => {
    const [mine, other] = [await app.newMerchant(), await app.newMerchant()];
    const foreign = await createProduct(other.test);
    for (const product_id of [foreign.id, foreign.slug, 'prod_0000000000000000', 'nothing']) {
      expectError(await mine.test.post(server, body({ product_id })), 'not_found', { message: 'Product not found' });
    }
    const archived = await createProduct(mine.test, { status: 'inactive' });
    expectInvalid(await mine.test.post(server, body({ product_id: archived.id })), /not for sale/);
  });

  test('the same Idempotency-Key is one session, another input a 422', async () => {
    const { test: client } = await app.newMerchant();
    const headers = { 'idempotency-key': 'cart-17' };
    const first = await client.post(server, body(), headers);
    const again = await client.post(server, body(), headers);
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
    expectError(await client.post(server, body({ amount_cents: 1 }), headers), 'idempotency_key_reused');
  });
});

describe('the public door', () => {
  test('takes publishable keys of both modes, secret keys, and calls from any page', async () => {
    const merchant = await app.newMerchant();
    expect((await create(merchant.publishable, {}, open)).livemode).toBe(false);
    expect((await create(merchant.livePublishable, {}, open)).livemode).toBe(true);
    await create(merchant.test, {}, open);
    const reply = await merchant.publishable.post(open, body(), { origin: 'https://anything.test' });
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    const preflight = await app.app.inject({
      method: 'OPTIONS',
      url: open,
      headers: { origin: 'https://anything.test', 'access-control-request-method': 'POST' },
    });
    expect(preflight.statusCode).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toContain('authorization');
    expectError(await app.stranger.post(open, body()), 'missing_token');
  });

  test('metadata that is given names order_ref and source', async () => {
    const { publishable, test: secret } = await app.newMerchant();
    expectInvalid(
      await publishable.post(open, body({ metadata: { note: 'x' } })),
      'metadata.order_ref is required',
      'metadata.source is required',
    );
    await create(publishable, { metadata: { order_ref: '7', source: 'shop' } }, open);
    await create(secret, { metadata: { note: 'x' } }, open);
  });

  test('success_url and cancel_url lie in the merchant’s allowed origins', async () => {
    const { publishable, test: secret } = await app.newMerchant();
    await secret.patch('/api/v1/m/merchant', { merchant: { allowed_origins: ['https://shop.test'] } });
    await create(publishable, { success_url: 'https://shop.test/done?x=1' }, open);
    for (const url of [
      'https://shop.test.evil.test/',
      'https://evil.test/',
      'http://shop.test/',
      'https://shop.test:8443/',
    ]) {
      for (const member of ['success_url', 'cancel_url']) {
        expectInvalid(
          await publishable.post(open, body({ [member]: url })),
          `${member} must lie in one of the merchant's allowed_origins`,
        );
      }
    }
    await create(secret, { success_url: 'https://elsewhere.test/' }, open);
  });

  test('the price of a product cannot be talked down', async () => {
    const { publishable, test: secret } = await app.newMerchant();
    const product = await createProduct(secret, { price_cents: 9900 });
    expect(await create(publishable, { product_id: product.slug, amount_cents: 1 }, open)).toMatchObject({
      amount_cents: 9900,
    });
  });
});

describe('showing', () => {
  for (const path of [server, merchants]) {
    describe(path, () => {
      describeRefusals(() => app, {
        method: 'GET',
        path: (id) => `${path}/${id}`,
        permission: 'checkout:read',
        resource: 'Checkout session',
        make,
        makeLive,
      });
    });
  }

  test('is the session as it was made, at both addresses, by id and by token', async () => {
    const { test: client } = await app.newMerchant();
    const session = await create(client);
    for (const path of [server, merchants]) {
      for (const id of [session.id, session.token]) {
        const reply = await client.get(`${path}/${id}`);
        expect([reply.status, reply.body]).toEqual([200, session]);
      }
    }
  });
});

describe('listing', () => {
  for (const path of [server, merchants]) {
    describe(path, () => {
      describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'checkout:read' });
    });
  }

  test('newest first, by status as the clock has it, of one’s own mode', async () => {
    const { test: client, live } = await app.newMerchant();
    await create(live);
    const old = await create(client);
    app.clock.advanceSeconds(600);
    const [paid, cancelled, pending] = [await create(client), await create(client), await create(client)];
    await pay(paid.token);
    await client.post(`${merchants}/${cancelled.id}/cancel`);
    app.clock.advanceSeconds(400);
    const ids = async (query: string) =>
      (await client.get(`${merchants}?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([pending.id, cancelled.id, paid.id, old.id]);
    expect(await ids('q[status_eq]=expired')).toEqual([old.id]);
    expect(await ids('q[status_eq]=completed')).toEqual([paid.id]);
    expect(await ids('q[status_in]=pending,cancelled')).toEqual([pending.id, cancelled.id]);
    expect(await ids(`q[created_at_gt]=${old.created_at}`)).toEqual([pending.id, cancelled.id, paid.id]);
    const all = (await client.get(merchants)).body;
    expect(all).toMatchObject({ object: 'list', meta: { total_count: 4, per_page: 25, current_page: 1 } });
    expect((await client.get(server)).body).toEqual(all);
    for (const { id, status } of all.data) {
      // What SQL says of the status and what the reader of one session says must agree.
      const reply = await client.get(`${merchants}/${id}`);
      expect(reply.status).toBe(status === 'expired' ? 410 : 200);
      if (status !== 'expired') expect(reply.body.status).toBe(status);
    }
  });

  test('refuses filters that it does not know', async () => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.get(`${merchants}?q[status_eq]=done`), /status/);
    expectInvalid(await client.get(`${merchants}?q[token_eq]=x`), /token_eq/);
  });
});

describe('cancelling', () => {
  for (const path of [server, merchants]) {
    describe(path, () => {
      describeRefusals(() => app, {
        method: 'POST',
        path: (id) => `${path}/${id}/cancel`,
        permission: 'checkout:write',
        resource: 'Checkout session',
        make,
        makeLive,
      });
    });
  }

  test('before anybody looked: no order is ever made', async () => {
    const merchant = await app.newMerchant();
    const session = await create(merchant.test);
    const reply = await merchant.test.post(`${merchants}/${session.id}/cancel`);
    expect([reply.status, reply.body.status]).toEqual([200, 'cancelled']);
    const again = await merchant.test.post(`${merchants}/${session.id}/cancel`);
    expect([again.status, again.body]).toEqual([200, reply.body]);
    expect((await look(session.token)).body).toEqual({ status: 'cancelled' });
    expectError(await pay(session.token), 'gone');
    expect(await eventKinds(app, merchant.id)).toEqual([]);
    expect((await merchant.test.get(`${server}/${session.id}`)).body.status).toBe('cancelled');
  });

  test('takes its order along; money that still arrives is recorded and completes nothing', async () => {
    const merchant = await app.newMerchant();
    const session = await create(merchant.test);
    await look(session.token);
    await merchant.test.post(`${merchants}/${session.id}/cancel`);
    const [row] = await app.rows<{ id: string; order_id: string }>(
      'select i.id, i.order_id from invoices i join orders o on o.id = i.order_id where o.merchant_id = $1',
      [merchant.id],
    );
    expect((await merchant.test.get(`/api/v1/m/orders/${row!.order_id}`)).body.status).toBe('cancelled');
    await merchant.test.post(`/api/v1/m/invoices/${row!.id}/simulate_payment`);
    expect((await merchant.test.get(`/api/v1/m/orders/${row!.order_id}`)).body).toMatchObject({
      status: 'cancelled',
      attention: 'paid_after_cancel',
    });
    expect((await merchant.test.get(`${server}/${session.id}`)).body.status).toBe('cancelled');
    expect(await eventKinds(app, merchant.id, session.id)).toEqual([]);
  });

  test('is a 409 once it is paid and a 410 once its time is over', async () => {
    const { test: client } = await app.newMerchant();
    const [paid, old] = [await create(client), await create(client)];
    await pay(paid.token);
    expectError(await client.post(`${merchants}/${paid.id}/cancel`), 'conflict');
    app.clock.advanceSeconds(900);
    expectError(await client.post(`${merchants}/${old.id}/cancel`), 'gone');
    expect((await client.get(`${server}/${paid.id}`)).body.status).toBe('completed');
  });

  test('cancelling the order cancels the session it came from', async () => {
    const { test: client } = await app.newMerchant();
    const session = await create(client);
    await look(session.token);
    const { order_id } = (await client.get(`${server}/${session.id}`)).body;
    expect((await client.delete(`/api/v1/m/orders/${order_id}`)).status).toBe(204);
    expect((await client.get(`${server}/${session.id}`)).body.status).toBe('cancelled');
    expect((await look(session.token)).body).toEqual({ status: 'cancelled' });
  });
});

test('a checkout of 0 is complete at once, with its sale and its events', async () => {
  const merchant = await app.newMerchant();
  const session = await create(merchant.test, { amount_cents: 0, metadata: { cart: '0' } });
  expect(session).toMatchObject({ status: 'completed', order_id: anId(), completed_at: session.created_at });
  const kinds = ['order.created', 'checkout.completed', 'payment.confirmed', 'order.paid'];
  expect((await eventKinds(app, merchant.id)).sort()).toEqual(kinds.sort());
  expect((await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${session.order_id}`)).body.data).toMatchObject([
    { total_cents: 0, amount_sats: 0, source: 'checkout' },
  ]);
  expectError(await merchant.test.post('/api/v1/m/invoices/generate', { order_id: session.order_id }), 'conflict');
});
