import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepOnce } from '../../../src/jobs/sweep.ts';
import { toolNames } from '../../../src/model/tool-names.ts';
import { operations } from '../../../src/resources/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import { Client, type Reply } from '../../harness/client.ts';
import { borrowTestDatabase, onPostgres, type TestDatabase } from '../../harness/database.ts';
import { books, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { McpClient } from '../../harness/mcp.ts';
import { createOrder, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let database: TestDatabase;
let app: TestApp;
/** A second instance on the same database, where two may share one. */
let other: TestApp;
beforeAll(async () => {
  database = await borrowTestDatabase();
  app = await openTestApp({ database: { ...database, drop: async () => {} }, watch: false });
  other = onPostgres
    ? await openTestApp({ database: { ...database, drop: async () => {} }, clock: app.clock, watch: false })
    : app;
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
  if (other !== app) await other.close();
  await database.drop();
});

const path = '/api/v1/m/api_tokens';
const token = (members: Record<string, unknown> = {}) => ({ api_token: { name: 'Assistant', ...members } });

interface Agent {
  merchant: TestMerchant;
  client: Client;
  mcp: McpClient;
  id: string;
}

async function newAgent(limits: Record<string, unknown>): Promise<Agent> {
  const merchant = await app.newMerchant();
  return agentOf(merchant, limits);
}

async function agentOf(merchant: TestMerchant, limits: Record<string, unknown>): Promise<Agent> {
  const { status, body } = await merchant.test.post(path, token(limits));
  expect(status).toBe(201);
  const client = new Client(app.app, body.key, body.id);
  return { merchant, client, mcp: new McpClient(app.app, body.key), id: body.id };
}

const askedToday = async ({ id }: Agent) =>
  (await app.rows<{ asked_cents: number }>('select asked_cents from api_key_days where api_key_id = $1', [id]))[0]
    ?.asked_cents;

test('the tools that may be listed are those there are', () => {
  expect(toolNames).toEqual(
    operations
      .filter(({ tool }) => tool)
      .map(({ name }) => name)
      .sort(),
  );
});

describe('a tool list', () => {
  test('is what a key may call, over MCP and over REST', async () => {
    const { client, mcp, merchant } = await newAgent({ allowed_tools: ['create_order', 'list_orders'] });
    expect((await mcp.toolNames()).sort()).toEqual(['create_order', 'list_orders']);
    expect((await mcp.call('create_order', { amount_cents: 500 })).isError).toBe(false);
    const message = 'This key is limited to some tools, and get_merchant is none of them';
    expect((await mcp.call('get_merchant')).value.error).toMatchObject({ code: 'forbidden', message });
    expect((await mcp.call('list_subscription_plans')).value.error.status).toBe(403);
    expect((await client.get('/api/v1/m/orders')).status).toBe(200);
    expectError(await client.get('/api/v1/m/merchant'), 'forbidden', { message });
    // Nor can it make itself a key without the list.
    expectError(await client.post(path, token()), 'forbidden');
    expect((await merchant.test.get('/api/v1/m/merchant')).status).toBe(200);
  });

  test('goes along with permissions: both have to allow', async () => {
    const { mcp } = await newAgent({ allowed_tools: ['create_order', 'list_orders'], permissions: ['orders:read'] });
    expect(await mcp.toolNames()).toEqual(['list_orders']);
  });
});

/** Everything that makes an amount payable. */
const askers: [string, (agent: Agent, cents: number) => Promise<Reply>, daily: number | undefined][] = [
  ['an order', ({ client }, cents) => client.post('/api/v1/m/orders', orderBody({ total_amount_cents: cents })), 1],
  [
    'an order with its invoice',
    ({ client }, cents) =>
      client.post('/api/v1/m/orders', orderBody({ total_amount_cents: cents }, { generate_invoice: true })),
    1,
  ],
  [
    'a cash order',
    ({ client }, cents) =>
      client.post(
        '/api/v1/m/orders',
        orderBody({ total_amount_cents: cents, tender_type: 'cash' }, { mark_as_paid: true }),
      ),
    1,
  ],
  [
    'a payment request',
    ({ client }, cents) =>
      client.post('/api/v1/m/payment_requests', {
        payment_request: { amount_cents: cents, payment_method: 'lightning', description: 'Tea' },
      }),
    1,
  ],
  ...['/api/v1/checkout_sessions', '/api/v1/m/checkout_sessions', '/api/v1/pub/checkout_sessions'].map(
    (url): (typeof askers)[number] => [
      `a checkout session at ${url}`,
      ({ client }, cents) => client.post(url, { checkout_session: { amount_cents: cents } }),
      1,
    ],
  ),
  [
    'a raised total',
    async ({ client, merchant }, cents) => {
      const { id } = await createOrder(merchant.test, { total_amount_cents: 100 });
      return client.patch(`/api/v1/m/orders/${id}`, { order: { total_amount_cents: cents } });
    },
    -100,
  ],
  [
    "an invoice for somebody else's order",
    async ({ client, merchant }, cents) => {
      const { id } = await createOrder(merchant.test, { total_amount_cents: cents });
      return client.post('/api/v1/m/invoices/generate', { order_id: id });
    },
    undefined,
  ],
  [
    'a product',
    ({ client }, cents) => client.post('/api/v1/m/products', { product: { name: 'Tea', price_cents: cents } }),
    undefined,
  ],
  [
    'a payment link',
    ({ client }, cents) =>
      client.post('/api/v1/m/payment_links', { payment_link: { name: 'Tea', price_cents: cents } }),
    undefined,
  ],
  [
    'a raised price',
    async ({ client, merchant }, cents) => {
      const product = { product: { name: 'Tea', price_cents: 1 } };
      const { id } = (await merchant.test.post('/api/v1/m/products', product)).body;
      return client.patch(`/api/v1/m/products/${id}`, { product: { price_cents: cents } });
    },
    undefined,
  ],
  [
    'a subscription',
    ({ client }, cents) =>
      client.post('/api/v1/m/subscriptions', {
        subscription: { name: 'Tea', amount_cents: cents, interval_unit: 'month', customer_email: 'a@example.com' },
      }),
    1,
  ],
];

describe('the largest amount', () => {
  const limits = { max_order_cents: 1000, max_daily_cents: 1500 };

  test('of a subscription is what a period costs, its taxes added and its discount taken off', async () => {
    const agent = await newAgent(limits);
    const { merchant } = agent;
    const tax = await createTax(merchant.test, { name: 'VAT', rate: '20' });
    const type = await createProductType(merchant.test, { name: 'Taxed', tax_ids: [tax.id] });
    const subscribe = async (cents: number, terms: object = {}) => {
      const product = await createProduct(merchant.test, { price_cents: cents, product_type_id: type.id });
      return agent.client.post('/api/v1/m/subscriptions', {
        subscription: { product_id: product.id, interval_unit: 'month', customer_email: 'a@example.com', ...terms },
      });
    };
    expectError(await subscribe(900), 'forbidden', {
      message: 'This key may ask for at most $10.00 at once, and this is $10.80',
    });
    expectError(await subscribe(900, { first_charge_cents: 0 }), 'forbidden');
    expect((await subscribe(900, { bitcoin_discount_percent: '10' })).status).toBe(201);
    expect(await askedToday(agent)).toBe(972);
  });

  test.each(askers)('holds for %s, and the day counts it', async (_, ask, daily) => {
    const agent = await newAgent(limits);
    expectError(await ask(agent, 1001), 'forbidden', {
      message: 'This key may ask for at most $10.00 at once, and this is $10.01',
    });
    expect(await askedToday(agent)).toBeUndefined();
    const fitting = await ask(agent, 1000);
    expect(fitting.status, JSON.stringify(fitting.body)).toBeLessThan(300);
    const counted = daily === undefined ? undefined : daily < 0 ? 1000 + daily : 1000;
    expect(await askedToday(agent)).toBe(counted);
    if (counted === undefined) return;
    const refused = await ask(agent, 800);
    const more = daily! < 0 ? 700 : 800;
    expectError(refused, 'forbidden', {
      message: `This key may ask for at most $15.00 a day; it has asked for $${counted / 100}.00 today, and this would add $${more / 100}.00`,
    });
    expect(await askedToday(agent)).toBe(counted);
  });

  test('holds over MCP in the same words', async () => {
    const { mcp } = await newAgent(limits);
    const { isError, value } = await mcp.call('create_order', { amount_cents: 5000 });
    expect([isError, value.error.code]).toEqual([true, 'forbidden']);
    expect(value.error.message).toBe('This key may ask for at most $10.00 at once, and this is $50.00');
    expect((await mcp.call('create_order', { amount_cents: 600 })).isError).toBe(false);
    expect((await mcp.call('create_payment_link', { name: 'Car', price_cents: 100_000 })).value.error.status).toBe(403);
  });

  test('refuses before a wallet is asked, and leaves nothing behind', async () => {
    const agent = await newAgent({ max_order_cents: 1000, max_daily_cents: 1000 });
    await createOrder(agent.client, { total_amount_cents: 1000 });
    const before = await books(app);
    const body = orderBody({ total_amount_cents: 1 }, { generate_invoice: true });
    for (const headers of [{}, { 'idempotency-key': 'again' }]) {
      expectError(await agent.client.post('/api/v1/m/orders', body, headers as Record<string, string>), 'forbidden');
    }
    expect(await books(app)).toEqual(before);
  });

  test('counts a repeated call once', async () => {
    const agent = await newAgent(limits);
    for (let turn = 0; turn < 3; turn++) {
      await agent.client.post('/api/v1/m/orders', orderBody({ total_amount_cents: 700 }), {
        'idempotency-key': 'once',
      });
    }
    expect(await askedToday(agent)).toBe(700);
  });

  test('is in the merchant’s currency, whatever the order’s', async () => {
    const agent = await newAgent({ max_order_cents: 1000, max_daily_cents: 1500 });
    // The test rate has 0.86 euros and 159 yen to the dollar.
    const yen = (cents: number) =>
      agent.client.post('/api/v1/m/orders', orderBody({ total_amount_cents: cents, currency: 'jpy' }));
    expectError(await yen(1600), 'forbidden', { message: /at most \$10\.00 at once, and this is \$10\.07/ });
    expect((await yen(1590)).status).toBe(201);
    expect(await askedToday(agent)).toBe(1000);
    const euros = await agent.client.post('/api/v1/m/products', {
      product: { name: 'Tea', price_cents: 861, currency: 'eur' },
    });
    expectError(euros, 'forbidden');
  });

  test('starts anew with the merchant’s day', async () => {
    const agent = await newAgent({ max_daily_cents: 1000 });
    await agent.merchant.test.patch('/api/v1/m/merchant', { merchant: { time_zone: 'Asia/Tokyo' } });
    const ask = () => agent.client.post('/api/v1/m/orders', orderBody({ total_amount_cents: 1000 }));
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 403]);
    const now = app.clock.now();
    // Midnight in Tokyo is 15:00 UTC.
    const midnight = new Date(now);
    midnight.setUTCHours(15, 0, 0, 0);
    if (midnight <= now) midnight.setUTCDate(midnight.getUTCDate() + 1);
    app.clock.advanceSeconds((midnight.getTime() - now.getTime()) / 1000 - 1);
    expect((await ask()).status).toBe(403);
    app.clock.advanceSeconds(1);
    expect([(await ask()).status, (await ask()).status]).toEqual([201, 403]);
    app.clock.advanceSeconds(4 * 86_400);
    await sweepOnce(app.parts);
    expect(await askedToday(agent)).toBeUndefined();
  });

  test('lets an order be changed that asks for no more', async () => {
    const agent = await newAgent({ max_order_cents: 1000, max_daily_cents: 1000 });
    const { id } = await createOrder(agent.merchant.test, { total_amount_cents: 5000 });
    const patch = (order: Record<string, unknown>) => agent.client.patch(`/api/v1/m/orders/${id}`, { order });
    expect((await patch({ metadata: { note: 'x' } })).status).toBe(200);
    expect((await patch({ total_amount_cents: 4000 })).status).toBe(200);
    expectError(await patch({ total_amount_cents: 4001 }), 'forbidden');
    expect(await askedToday(agent)).toBeUndefined();
    const unknown = '01900000-0000-7000-8000-000000000000';
    expectError(await agent.client.post('/api/v1/m/invoices/generate', { order_id: unknown }), 'not_found');
    expectError(await agent.client.patch(`/api/v1/m/orders/${unknown}`, { order: {} }), 'not_found');
  });

  test('holds for a publishable key, on anybody’s page', async () => {
    const { client } = await newAgent({ token_type: 'publishable', max_order_cents: 1000 });
    const ask = (cents: number) =>
      client.post('/api/v1/pub/checkout_sessions', { checkout_session: { amount_cents: cents } });
    expect([(await ask(1000)).status, (await ask(1001)).status]).toEqual([201, 403]);
  });

  test('is never passed by calls at the same time, over two instances', async () => {
    const agent = await newAgent({ max_daily_cents: 1000 });
    const clients = [agent.client, new Client(other.app, agent.client.key, agent.id)];
    const calls = Array.from({ length: 24 }, (_, index) => {
      const client = clients[index % 2]!;
      const order = { total_amount_cents: 90 };
      if (index % 3 === 0) return client.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 90 } });
      return client.post('/api/v1/m/orders', orderBody(order, { generate_invoice: index % 3 === 1 }));
    });
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(11);
    expect(statuses.filter((status) => status === 403)).toHaveLength(13);
    expect(await askedToday(agent)).toBe(990);
    const orders = await app.rows('select id from orders where merchant_id = $1', [agent.merchant.id]);
    const sessions = await app.rows('select id from checkout_sessions where merchant_id = $1', [agent.merchant.id]);
    expect(orders.length + sessions.length).toBe(11);
  });
});

describe('limits of a token', () => {
  test('are shown, kept when it is rolled, and changed', async () => {
    const { id, merchant } = await newAgent({ allowed_tools: ['get_order'], max_order_cents: 5, max_daily_cents: 50 });
    const shown = { allowed_tools: ['get_order'], max_order_cents: 5, max_daily_cents: 50 };
    expect((await merchant.test.get(path)).body.data[0]).toMatchObject({ id, ...shown });
    const rolled = (await merchant.test.post(`${path}/${id}/roll`)).body;
    expect(rolled).toMatchObject(shown);
    const mcp = new McpClient(app.app, rolled.key);
    expect(await mcp.toolNames()).toEqual(['get_order']);

    const url = `${path}/${rolled.id}`;
    const changed = await merchant.test.patch(url, token({ allowed_tools: null, max_daily_cents: 60 }));
    expect(changed.status).toBe(200);
    expect(changed.body).not.toHaveProperty('key');
    expect(changed.body).toMatchObject({
      name: 'Assistant',
      allowed_tools: null,
      max_order_cents: 5,
      max_daily_cents: 60,
    });
    // At once where it was changed.
    expect((await mcp.toolNames()).length).toBeGreaterThan(40);
    const more = { name: 'Other', rpm_limit: 7, ip_ranges: ['10.1.2.3/8'] };
    expect((await merchant.test.patch(url, token(more))).body).toMatchObject({ ...more, ip_ranges: ['10.0.0.0/8'] });
    expect((await merchant.test.patch(url, token({ name: null, ip_ranges: null }))).body).toMatchObject({
      name: 'Other',
      ip_ranges: null,
      rpm_limit: 7,
    });
    const entries = (await merchant.test.get('/api/v1/m/audit_log?q[action_eq]=update_api_token')).body.data;
    expect(entries).toHaveLength(3);
    await merchant.test.delete(url);
    expectError(await merchant.test.patch(url, token()), 'not_found');
  });

  test('are not lifted by a key that has some, nor by one that may do less', async () => {
    const agent = await newAgent({ max_order_cents: 1000 });
    const message = 'A token with a largest amount cannot make or change tokens';
    for (const reply of [
      await agent.client.post(path, token()),
      await agent.client.post(path, token({ token_type: 'publishable' })),
      await agent.client.patch(`${path}/${agent.id}`, token({ max_order_cents: null })),
      await agent.client.post(`${path}/${agent.id}/roll`),
    ]) {
      expectError(reply, 'forbidden', { message });
    }
    const clerk = await agent.merchant.narrowed('merchant:write');
    expectError(await clerk.patch(`${path}/${agent.id}`, token({ max_order_cents: null })), 'forbidden');
  });

  test('mean what they meant: a key that has some leaves currency and time zone alone', async () => {
    const { merchant, client } = await newAgent({ max_daily_cents: 1000 });
    const change = (members: Record<string, unknown>) => client.patch('/api/v1/m/merchant', { merchant: members });
    const { currency, time_zone } = (await merchant.test.get('/api/v1/m/merchant')).body;
    for (const other of [{ currency: 'kwd' }, { time_zone: 'Pacific/Kiritimati', name: 'Elsewhere' }]) {
      expectError(await change(other), 'forbidden', {
        message: 'A token with a largest amount cannot change currency or time zone',
      });
    }
    expect((await change({ name: 'Renamed', currency, time_zone })).body).toMatchObject({
      name: 'Renamed',
      currency,
      time_zone,
    });
    const permitted = { merchant: { time_zone: 'Pacific/Kiritimati' } };
    expect((await merchant.test.patch('/api/v1/m/merchant', permitted)).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>[], Record<string, unknown>]>([
    [
      'addresses',
      { ip_ranges: ['127.0.0.0/8', '2001:db8::/32'] },
      [{ ip_ranges: null }, { ip_ranges: ['127.0.0.0/7'] }, { ip_ranges: ['127.0.0.1', '203.0.113.9'] }],
      { ip_ranges: ['127.0.0.0/16', '2001:db8:1::/48'] },
    ],
    ['requests a minute', { rpm_limit: 10 }, [{ rpm_limit: null }, { rpm_limit: 11 }], { rpm_limit: 10 }],
  ])('of %s are not lifted by a key that is held to some', async (_, bounds, wider, within) => {
    const { merchant, client, id } = await agentOf(await app.newMerchant(), bounds);
    for (const members of wider) {
      expectError(await client.patch(`${path}/${id}`, token(members)), 'forbidden');
      expectError(await client.post(path, token(members)), 'forbidden');
    }
    expectError(await client.post(path, token({ token_type: 'publishable' })), 'forbidden');
    // Rolling gives the same again: of a key that is held to nothing, too much.
    expectError(await client.post(`${path}/${merchant.test.id}/roll`), 'forbidden');
    expect((await client.post(path, token(within))).status).toBe(201);
    expect((await client.patch(`${path}/${id}`, token({ name: 'Renamed' }))).body).toMatchObject(bounds);
    expect((await client.post(`${path}/${id}/roll`)).body).toMatchObject(bounds);
  });

  test.each([
    ['a tool that is none', { allowed_tools: ['get_rich'] }, /^allowed_tools\[0\] must be one of cancel_order,/],
    ['no tools at all', { allowed_tools: [] }, 'allowed_tools must not be empty'],
    ['a limit of nothing', { max_order_cents: 0 }, 'max_order_cents must be at least 1'],
    ['a limit that is no number', { max_daily_cents: '5' }, 'max_daily_cents must be a whole number'],
    [
      'tools of a publishable token',
      { token_type: 'publishable', allowed_tools: ['get_order'] },
      'allowed_tools are for secret tokens only',
    ],
  ])('refuse %s', async (_, members, sentence) => {
    const merchant = await app.newMerchant();
    expectInvalid(await merchant.test.post(path, token(members)), sentence);
    if ('token_type' in members) return;
    expectInvalid(await merchant.test.patch(`${path}/${merchant.test.id}`, token(members)), sentence);
  });

  describeRefusals(() => app, {
    method: 'PATCH',
    path: (id) => `${path}/${id}`,
    body: () => token({ rpm_limit: 5 }),
    permission: 'merchant:write',
    resource: 'API token',
    make: async (merchant) => {
      const { body } = await merchant.test.post(path, token({ permissions: ['merchant:write'] }));
      return body.id;
    },
    makeLive: async (merchant) => (await merchant.live.post(path, token())).body.id,
  });
});
