import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { Client } from '../../harness/client.ts';
import { anId, expectError, expectInvalid } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const path = '/api/v1/m/api_tokens';
const body = (members: Record<string, unknown> = {}) => ({ api_token: { name: 'Till', ...members } });

async function make(merchant: TestMerchant): Promise<string> {
  return (await merchant.test.post(path, body())).body.id;
}

describe('creating', () => {
  test('shows the key once and keeps only its hash', async () => {
    const merchant = await app.newMerchant();
    const reply = await merchant.test.post(path, body({ permissions: ['orders:read'], ip_ranges: ['127.0.0.0/8'] }), {
      'idempotency-key': 'till-1',
    });
    expect(reply.status).toBe(201);
    const { key, ...token } = reply.body;
    expect(key).toMatch(/^sk_test_[0-9A-Za-z]{40}$/);
    expect(token).toEqual({
      object: 'api_token',
      livemode: false,
      id: anId(),
      name: 'Till',
      token_type: 'secret',
      prefix: 'sk_test_',
      last_four: key.slice(-4),
      permissions: ['orders:read'],
      ip_ranges: ['127.0.0.0/8'],
      rpm_limit: null,
      allowed_tools: null,
      max_order_cents: null,
      max_daily_cents: null,
      products_only: false,
      last_used_at: null,
      revoked_at: null,
      created_at: '2027-03-01T10:00:00.000Z',
    });
    const dump = JSON.stringify([
      await app.rows('select * from api_keys'),
      await app.rows('select * from idempotency_keys'),
      await app.rows('select * from events'),
    ]);
    expect(dump).not.toContain(key);
    const listed = (await merchant.test.get(path)).body.data[0];
    expect(listed).toEqual(token);

    const till = new Client(app.app, key, token.id);
    expect((await till.get('/api/v1/m/orders')).status).toBe(200);
    expectError(await till.get('/api/v1/m/payments'), 'forbidden');
  });

  test('a key bound to addresses is refused from elsewhere', async () => {
    const merchant = await app.newMerchant();
    const { key } = (await merchant.test.post(path, body({ ip_ranges: ['203.0.113.0/24', '2001:db8::/32'] }))).body;
    expectError(await new Client(app.app, key, undefined).get('/api/v1/m/orders'), 'forbidden', { message: /address/ });
  });

  test('nobody makes a token that may do more than their own', async () => {
    const merchant = await app.newMerchant();
    const clerk = await merchant.narrowed('merchant:write', 'merchant:read', 'orders:read');
    expectError(await clerk.post(path, body()), 'forbidden');
    expectError(await clerk.post(path, body({ permissions: ['orders:write'] })), 'forbidden');
    expect((await clerk.post(path, body({ permissions: ['orders:read'] }))).status).toBe(201);
    expectError(await clerk.post(`${path}/${merchant.test.id}/roll`), 'forbidden');
  });

  test.each([
    ['no name', { name: undefined }, 'name is required'],
    ['an unknown permission', { permissions: ['everything'] }, /^permissions\[0\] must be one of orders:read/],
    [
      'a range that is none',
      { ip_ranges: ['10.1/8'] },
      'ip_ranges[0] must be an address or a range such as 203.0.113.0/24',
    ],
    ['permissions on a publishable token', { token_type: 'publishable', permissions: ['orders:read'] }, /secret/],
  ])('refuses %s', async (_name, members, sentence) => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.post(path, body(members)), sentence);
  });

  test('a token belongs to the mode of the key that made it', async () => {
    const merchant = await app.newMerchant();
    const { key } = (await merchant.live.post(path, body({ token_type: 'publishable' }))).body;
    expect(key).toMatch(/^pk_live_/);
  });
});

describe('revoking', () => {
  describeRefusals(() => app, {
    method: 'DELETE',
    path: (id) => `${path}/${id}`,
    permission: 'merchant:write',
    resource: 'API token',
    make,
    success: 204,
  });

  test('counts at once', async () => {
    const merchant = await app.newMerchant();
    const { id, key } = (await merchant.test.post(path, body())).body;
    const till = new Client(app.app, key, id);
    expect((await till.get('/api/v1/m/merchant')).status).toBe(200);
    expect((await merchant.test.delete(`${path}/${id}`)).status).toBe(204);
    expectError(await till.get('/api/v1/m/merchant'), 'revoked_token');
    expectError(await merchant.test.delete(`${path}/${id}`), 'not_found', { message: 'API token not found' });
  });
});

describe('rolling', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: (id) => `${path}/${id}/roll`,
    permission: 'merchant:write',
    resource: 'API token',
    make: async (merchant) => (await merchant.test.post(path, body({ permissions: ['merchant:write'] }))).body.id,
    success: 201,
  });

  test('both keys work during the overlap, then only the new one', async () => {
    const merchant = await app.newMerchant();
    const old = (await merchant.test.post(path, body({ permissions: ['orders:read'] }))).body;
    const fresh = (await merchant.test.post(`${path}/${old.id}/roll`, { overlap_seconds: 60 })).body;
    expect(fresh).toMatchObject({ name: 'Till', permissions: ['orders:read'] });
    const [before, after] = [old, fresh].map(({ key, id }) => new Client(app.app, key, id));
    expect((await before!.get('/api/v1/m/orders')).status).toBe(200);
    expect((await after!.get('/api/v1/m/orders')).status).toBe(200);
    app.clock.advanceSeconds(61);
    app.parts.authenticator.forget();
    expectError(await before!.get('/api/v1/m/orders'), 'revoked_token');
    expect((await after!.get('/api/v1/m/orders')).status).toBe(200);
  });
});

describe('usage', () => {
  describeRefusals(() => app, {
    method: 'GET',
    path: (id) => `${path}/${id}/usage`,
    permission: 'merchant:read',
    resource: 'API token',
    make,
  });

  test('counts what is written and what is not yet, and starts anew with the month', async () => {
    const merchant = await app.newMerchant();
    const { id, key } = (await merchant.test.post(path, body({ rpm_limit: 60 }))).body;
    const till = new Client(app.app, key, id);
    const usage = async () => (await merchant.test.get(`${path}/${id}/usage`)).body;
    expect(await usage()).toEqual({
      object: 'api_token_usage',
      livemode: false,
      id,
      name: 'Till',
      token_type: 'secret',
      rpm_limit: 60,
      monthly_request_count: 0,
      last_request_counted_at: null,
      last_used_at: null,
      created_at: expect.any(String),
    });
    await till.get('/api/v1/m/merchant');
    await till.get('/api/v1/m/merchant');
    expect((await usage()).monthly_request_count).toBe(2);
    await app.parts.usage.flush();
    await till.get('/api/v1/m/merchant');
    expect((await usage()).monthly_request_count).toBe(3);
    await app.parts.usage.flush();

    app.clock.set(new Date('2027-04-01T00:00:00.000Z'));
    expect((await usage()).monthly_request_count).toBe(0);
    await till.get('/api/v1/m/merchant');
    await app.parts.usage.flush();
    expect(await usage()).toMatchObject({
      monthly_request_count: 1,
      last_used_at: '2027-04-01T00:00:00.000Z',
      last_request_counted_at: '2027-04-01T00:00:00.000Z',
    });
  });

  test('is 404 for a token that no longer works', async () => {
    const merchant = await app.newMerchant();
    const id = await make(merchant);
    await merchant.test.delete(`${path}/${id}`);
    expectError(await merchant.test.get(`${path}/${id}/usage`), 'not_found', { message: 'API token not found' });
  });
});
