import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import { anId, eventBodies, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { type Door, describeRefusals } from '../../harness/refusals.ts';
import { act, customerPage, invite, show, subscribe } from '../../harness/subscriptions.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/subscriptions';
const minimal = { name: 'News', amount_cents: 500, interval_unit: 'month', customer_email: 'ada@example.com' };
const body = () => ({ subscription: minimal });
const one = (verb = ''): Pick<Door, 'path' | 'resource' | 'make' | 'makeLive'> => ({
  path: (id) => `${path}/${id}${verb}`,
  resource: 'Subscription',
  make: async ({ test }) => (await subscribe(app, test)).id,
  makeLive: async ({ live }) => (await invite(live)).id,
});

describe('create', () => {
  describeRefusals(() => app, { method: 'POST', path: () => path, body, permission: 'orders:write', success: 201 });
});
describe('list', () => {
  describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'orders:read' });
});
describe('show', () => {
  describeRefusals(() => app, { ...one(), method: 'GET', permission: 'orders:read' });
});
describe('pause', () => {
  describeRefusals(() => app, { ...one('/pause'), method: 'POST', permission: 'orders:write' });
});
describe('resume', () => {
  const make: Door['make'] = async ({ test: client }) => {
    const { id } = await subscribe(app, client);
    await client.post(`${path}/${id}/pause`);
    return id;
  };
  describeRefusals(() => app, { ...one('/resume'), make, method: 'POST', permission: 'orders:write' });
});
describe('cancel', () => {
  describeRefusals(() => app, { ...one('/cancel'), method: 'POST', permission: 'orders:write' });
});

test('an invitation shows every member, is announced, and gives no secret away', async () => {
  const merchant = await app.newMerchant();
  const reply = await merchant.test.post(path, {
    subscription: {
      name: ' Club ',
      amount_cents: 2500,
      interval_unit: 'week',
      interval_count: 2,
      currency: 'EUR',
      customer_email: ' Ada@Example.com ',
      customer_name: 'Ada',
      rail: 'bitcoin',
      starts_on: '2027-03-31',
      trial_days: 14,
      first_charge_cents: 100,
      bitcoin_discount_percent: '2.50',
      metadata: { ref: 'A1' },
    },
  });
  expect(reply.status).toBe(201);
  const { customer_url, ...shape } = reply.body;
  expect(customer_url).toMatch(/^http:\/\/.*\/subscriptions\/sub_[0-9A-Za-z]{22}$/);
  expect(shape).toEqual({
    object: 'subscription',
    livemode: false,
    id: anId(),
    status: 'invited',
    customer_id: anId(),
    customer_email: 'Ada@Example.com',
    customer_name: 'Ada',
    product_id: null,
    name: 'Club',
    amount_cents: 2500,
    first_charge_cents: 100,
    currency: 'eur',
    interval_unit: 'week',
    interval_count: 2,
    starts_on: '2027-03-31',
    trial_days: 14,
    trial_ends_at: null,
    bitcoin_discount_percent: '2.5',
    rail: 'bitcoin',
    next_billing_at: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    metadata: { ref: 'A1' },
    invited_at: '2027-03-01T10:00:00.000Z',
    accepted_at: null,
    paused_at: null,
    cancelled_at: null,
    created_at: '2027-03-01T10:00:00.000Z',
    updated_at: '2027-03-01T10:00:00.000Z',
  });
  expect(await show(merchant.test, shape.id)).toEqual(reply.body);
  expect((await merchant.test.get(path)).body.data).toEqual([reply.body]);
  const [event] = await eventBodies(app, merchant.id, 'subscription.created');
  expect(event.data).toEqual(shape);
  const link = customer_url.split('/').at(-1);
  for (const table of ['subscriptions', 'events']) {
    expect(JSON.stringify(await app.rows(`select * from ${table}`))).not.toContain(link);
  }
});

test('a customer is one per merchant, mode and e-mail address', async () => {
  const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
  const first = await invite(merchant.test);
  expect((await invite(merchant.test, { customer_email: 'ADA@example.com' })).customer_id).toBe(first.customer_id);
  expect((await invite(merchant.test, { customer_email: 'bob@example.com' })).customer_id).not.toBe(first.customer_id);
  expect((await invite(merchant.live)).customer_id).not.toBe(first.customer_id);
  expect((await invite(other.test)).customer_id).not.toBe(first.customer_id);
});

test('a product gives name, price and currency, which then stay', async () => {
  const { test: client } = await app.newMerchant();
  const product = await createProduct(client, { name: 'Magazine', price_cents: 700, currency: 'eur' });
  const terms = { name: null, amount_cents: 1, currency: 'usd' };
  const subscription = await invite(client, { ...terms, product_id: product.slug });
  const offer = { product_id: product.id, name: 'Magazine', amount_cents: 700, currency: 'eur' };
  expect(subscription).toMatchObject({ ...offer, first_charge_cents: 700 });
  await client.patch(`/api/v1/m/products/${product.id}`, { product: { price_cents: 999, name: 'Other' } });
  await client.delete(`/api/v1/m/products/${product.id}`);
  expect(await show(client, subscription.id)).toMatchObject(offer);
  expectInvalid(
    await client.post(path, { subscription: { ...minimal, product_id: product.id } }),
    'product_id must name an active product',
  );
  // Accepted after the product went: it goes on as it was agreed.
  await act(app, subscription, 'accept');
  const orders = await client.get('/api/v1/m/orders');
  expect(orders.body.data[0]).toMatchObject({
    total_amount_cents: 700,
    currency: 'eur',
    items: [{ name: 'Magazine', price_cents: 700, qty: 1, product_id: product.id }],
  });
});

test('bodies that are wrong change nothing', async () => {
  const { test: client } = await app.newMerchant();
  const free = await createProduct(client, { price_cents: 0 });
  const before = await app.rows('select id from subscriptions order by id');
  const post = (members: Record<string, unknown>) => client.post(path, { subscription: { ...minimal, ...members } });
  expectInvalid(await client.post(path, {}), 'subscription is required');
  expectInvalid(
    await client.post(path, { subscription: {} }),
    'interval_unit is required',
    'customer_email is required',
  );
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ name: null }, 'name is required'],
    [{ amount_cents: null }, 'amount_cents is required, or product_id'],
    [{ amount_cents: 0 }, 'amount_cents must be at least 1'],
    [{ amount_cents: '5' }, 'amount_cents must be a whole number'],
    [{ amount_cents: 10 ** 13 }, /^amount_cents must be at most/],
    [{ interval_unit: 'day' }, 'interval_unit must be one of week, month, year'],
    [{ interval_count: 0 }, 'interval_count must be at least 1'],
    [{ interval_count: 101 }, 'interval_count must be at most 100'],
    [{ customer_email: 'nobody' }, 'customer_email must be an e-mail address'],
    [{ rail: 'card' }, 'rail must be bitcoin; cards are not offered'],
    [{ rail: 'cash' }, 'rail must be one of bitcoin, card'],
    [{ starts_on: '2027-02-28' }, 'starts_on must not be in the past'],
    [{ starts_on: '2027-02-30' }, 'starts_on must be a day such as 2027-01-31'],
    [{ starts_on: '9999-01-01' }, /^starts_on must be at most 2032-/],
    [{ trial_days: -1 }, 'trial_days must be at least 0'],
    [{ first_charge_cents: -1 }, 'first_charge_cents must be at least 0'],
    [{ bitcoin_discount_percent: '101' }, /^bitcoin_discount_percent must be a decimal from 0 to 100/],
    [{ bitcoin_discount_percent: 5 }, 'bitcoin_discount_percent must be text'],
    [{ product_id: free.id }, /^product_id must name a product with a price/],
  ];
  for (const [members, sentence] of wrong) expectInvalid(await post(members), sentence);
  expectError(await post({ product_id: 'prod_0000000000000000' }), 'not_found', { message: 'Product not found' });
  expect(await app.rows('select id from subscriptions order by id')).toEqual(before);
});

test('what its state does not allow is 409', async () => {
  const { test: client } = await app.newMerchant();
  const call = (id: string, verb: string) => client.post(`${path}/${id}/${verb}`);
  const invited = await invite(client);
  const message = (status: string, wanted: string) => ({
    message: `The subscription is ${status} and cannot be ${wanted}`,
  });
  expectError(await call(invited.id, 'pause'), 'conflict', message('invited', 'paused'));
  expectError(await call(invited.id, 'resume'), 'conflict', message('invited', 'resumed'));
  const active = await subscribe(app, client);
  expectError(await call(active.id, 'resume'), 'conflict', message('active', 'resumed'));
  await call(active.id, 'cancel');
  expectError(await call(active.id, 'pause'), 'conflict', message('cancelled', 'paused'));
  expectError(await call(active.id, 'resume'), 'conflict', message('cancelled', 'resumed'));
  expectInvalid(
    await client.post(`${path}/${active.id}/cancel`, { at_period_end: 'yes' }),
    /at_period_end must be true/,
  );
});

test('an invitation can be withdrawn, and is then not accepted', async () => {
  const merchant = await app.newMerchant();
  const invited = await invite(merchant.test);
  const reply = await merchant.test.post(`${path}/${invited.id}/cancel`, { at_period_end: true });
  expect(reply.body).toMatchObject({ status: 'cancelled', cancelled_at: app.clock.now().toISOString() });
  expectError(await act(app, invited, 'accept'), 'conflict', {
    message: 'This subscription was cancelled and can no longer be accepted',
  });
  expect(await eventKinds(app, merchant.id, invited.id)).toEqual(['subscription.created', 'subscription.cancelled']);
});

test('a plan without subscriptions invites nobody, and lets those that run go on', async () => {
  const merchant = await app.newMerchant();
  const subscription = await subscribe(app, merchant.test);
  await app.rows(`update merchants set plan_slug = 'starter' where id = $1`, [merchant.id]);
  expectError(await merchant.test.post(path, body()), 'forbidden', {
    message: 'The plan of this merchant has no subscriptions',
  });
  expect((await act(app, subscription, 'simulate_payment')).body.periods[0].status).toBe('paid');
});

test('lists newest first, with filters', async () => {
  const { test: client, live } = await app.newMerchant();
  const first = await invite(client, { customer_email: 'bob@example.com' });
  const second = await subscribe(app, client, { name: 'Second' });
  const ids = async (query = '') =>
    (await client.get(`${path}?${query}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids()).toEqual([second.id, first.id]);
  expect(await ids('q[status_eq]=invited')).toEqual([first.id]);
  expect(await ids('q[customer_email_eq]=bob@example.com')).toEqual([first.id]);
  expect(await ids(`q[customer_id_eq]=${second.customer_id}`)).toEqual([second.id]);
  expect(await ids('q[next_billing_at_gt]=2027-03-31')).toEqual([second.id]);
  expect((await live.get(path)).body.data).toEqual([]);
});

test('the same key and body invite once', async () => {
  const { test: client } = await app.newMerchant();
  const headers = { 'idempotency-key': 'once' };
  const [one, two] = [await client.post(path, body(), headers), await client.post(path, body(), headers)];
  expect(two.body).toEqual(one.body);
  expect(two.headers['idempotent-replayed']).toBe('true');
  expect((await client.get(path)).body.meta.total_count).toBe(1);
});

describe('the customer’s page', () => {
  const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('is for people, with nothing that loads from elsewhere, and knows no other address', async () => {
    const { test: client } = await app.newMerchant();
    const invited = await invite(client, { name: '<script>alert(1)</script>' });
    const page = await customerPage(app, invited, asPerson);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.body).toContain('&lt;script>alert(1)&lt;/script>');
    expect(page.body).toContain('Accept and start');
    expect(page.body).toContain('Test mode');
    const german = await customerPage(app, invited, { ...asPerson, 'accept-language': 'de-AT,de;q=0.9' });
    expect(german.body).toContain('Annehmen und beginnen');
    expect(german.body).toContain('<html lang="de"');
    const unknown = await app.stranger.get('/subscriptions/sub_0000000000000000000000', asPerson);
    expect(unknown.status).toBe(404);
    expect(unknown.body).toContain('There is no such subscription');
    expectError(await customerPage(app, { customer_url: 'http://x/subscriptions/sub_x' }), 'not_found');
  });

  test('accepts, pays and cancels, each with a way back to the page', async () => {
    const { test: client } = await app.newMerchant();
    const invited = await invite(client);
    const address = new URL(invited.customer_url).pathname;
    const press = (deed: string) => app.stranger.post(`${address}/${deed}`, undefined, asPerson);
    for (const deed of ['accept', 'accept', 'pay']) {
      const reply = await press(deed);
      expect([reply.status, reply.headers.location]).toEqual([303, address]);
    }
    expect((await client.get('/api/v1/m/orders')).body.data).toHaveLength(1);
    const page = await customerPage(app, invited, asPerson);
    expect(page.body).toMatch(/href="lightning:LNBCRT/);
    expect(page.body).toContain('http-equiv="refresh"');
    const json = await customerPage(app, invited);
    expect(json.body).toMatchObject({
      status: 'active',
      merchant: { name: 'Test Shop' },
      periods: [{ status: 'pending', total_amount_cents: 1000 }],
      invoice: { payment_request: expect.stringMatching(/^lnbcrt/), time_remaining: 900 },
    });
    expect(Object.keys(json.body)).not.toContain('metadata');
    await press('simulate_payment');
    await press('simulate_payment');
    expect((await customerPage(app, invited)).body).toMatchObject({
      periods: [{ status: 'paid', receipt_url: expect.stringContaining('/receipts/rcp_') }],
      invoice: null,
    });
    expect((await client.get('/api/v1/m/payments')).body.data).toHaveLength(1);
    await client.post(`${path}/${invited.id}/cancel`);
    expect(await show(client, invited.id)).toMatchObject({ status: 'cancelled' });
    const late = await press('accept');
    expect(late.status).toBe(409);
    expect(late.body).toContain('can no longer be accepted');
  });

  test('asks for what is left of an order that was paid in part, and says what was paid', async () => {
    const { test: client } = await app.newMerchant();
    const subscription = await subscribe(app, client);
    await act(app, subscription, 'pay');
    const { id } = (await client.get('/api/v1/m/orders')).body.data[0];
    const first = await client.post('/api/v1/m/invoices/generate', { order_id: id });
    await client.patch(`/api/v1/m/orders/${id}`, { order: { total_amount_cents: 4200 } });
    await client.post(`/api/v1/m/invoices/${first.body.id}/simulate_payment`);
    for (const deed of [undefined, 'pay']) {
      if (deed) await act(app, subscription, deed);
      const page = await customerPage(app, subscription, asPerson);
      expect(page.body).toContain('Pay $32.00');
      expect(page.body).toContain('Already paid: <bdi dir="ltr">$10.00</bdi>');
    }
  });

  test('of a live subscription is not paid by a button', async () => {
    const { live } = await app.newMerchant();
    const subscription = await subscribe(app, live);
    expectError(await act(app, subscription, 'simulate_payment'), 'forbidden', {
      message: 'Only a test subscription can be paid this way',
    });
    expect((await customerPage(app, subscription, asPerson)).body).not.toContain('Simulate');
  });

  test('answers other methods with 405 and says which work', async () => {
    const reply = await app.stranger.delete('/subscriptions/sub_x');
    expectError(reply, 'method_not_allowed');
    expect(reply.headers.allow).toBe('GET, HEAD');
    for (const deed of ['accept', 'pay', 'simulate_payment', 'cancel']) {
      const read = await app.stranger.get(`/subscriptions/sub_x/${deed}`);
      expectError(read, 'method_not_allowed');
      expect(read.headers.allow).toBe('POST');
    }
  });

  test('stays out of the log', async () => {
    const lines: unknown[] = [];
    const log = app.parts.log as { info: (...parts: unknown[]) => void };
    const before = log.info;
    log.info = (...parts) => void lines.push(parts);
    const { test: client } = await app.newMerchant();
    const invited = await invite(client);
    await customerPage(app, invited);
    log.info = before;
    expect(JSON.stringify(lines)).toContain('/subscriptions/:link');
    expect(JSON.stringify(lines)).not.toContain(new URL(invited.customer_url).pathname);
  });
});
