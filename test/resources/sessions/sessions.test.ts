import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { giveRole } from '../../../src/flows/give-role.ts';
import type { Role } from '../../../src/model/user.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { Client } from '../../harness/client.ts';
import { addUser } from '../../harness/people.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const signIn = (email: unknown, password: unknown) => app.stranger.post('/api/v1/m/sessions', { email, password });
const activate = (body: unknown) => app.stranger.post('/api/v1/m/sessions/activate', body);
async function sessionOf(user: { email: string; password: string }): Promise<string> {
  const reply = await signIn(user.email, user.password);
  expect(reply.status).toBe(200);
  return reply.body.session_token;
}

describe('signing in', () => {
  test('answers a token and where one works', async () => {
    const other = await app.newMerchant();
    const user = await addUser(app, [merchant, other], 'cashier');
    const { status, body } = await signIn(` ${user.email.toUpperCase()} `, user.password);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['merchants', 'session_token']);
    expect(body.merchants).toEqual(
      [merchant, other].map(({ id }) => ({ id, name: 'Test Shop', logo_url: null, currency: 'usd', role: 'cashier' })),
    );
    const rows = await app.rows<{ text: string }>('select encode(token_hash, $1) as text from user_sessions', [
      'escape',
    ]);
    expect(JSON.stringify(rows)).not.toContain(body.session_token);
  });

  test('needs both parts: 400', async () => {
    for (const body of [
      {},
      { email: 'a@b.co' },
      { password: 'x' },
      { email: '', password: 'x' },
      { email: 7, password: 'x' },
      { email: 'a@b.co', password: '\u0000' },
    ]) {
      const reply = await app.stranger.post('/api/v1/m/sessions', body);
      expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
    }
  });

  test('with an unknown address and with a wrong password reads the same', async () => {
    const user = await addUser(app, [merchant]);
    const wrong = await signIn(user.email, 'wrong');
    const unknown = await signIn('nobody@example.com', 'wrong');
    expect([wrong.status, wrong.body.error.message]).toEqual([401, unknown.body.error.message]);
    expect(unknown.status).toBe(401);
    expect(JSON.stringify([wrong.body, unknown.body])).not.toContain('"wrong"');
  });

  test('five wrong passwords lock for 15 minutes; only who knows the password hears of it (case C112)', async () => {
    const user = await addUser(app, [merchant]);
    for (let i = 0; i < 5; i++) expect((await signIn(user.email, `guess ${i}`)).status).toBe(401);
    expect((await signIn(user.email, 'another guess')).status).toBe(401);
    const locked = await signIn(user.email, user.password);
    expect([locked.status, locked.body.error.code]).toEqual([423, 'locked']);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(800);
    app.clock.advanceSeconds(901);
    expect((await signIn(user.email, user.password)).status).toBe(200);
  });

  test('wrong ones in between are forgotten with a right one', async () => {
    const user = await addUser(app, [merchant]);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 4; i++) expect((await signIn(user.email, 'guess')).status).toBe(401);
      expect((await signIn(user.email, user.password)).status).toBe(200);
    }
  });

  test('more than ten tries for an account in 15 minutes are 429, whoever they claim to be', async () => {
    const user = await addUser(app, [merchant]);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const answer = await app.app.inject({
        method: 'POST',
        url: '/api/v1/m/sessions',
        headers: { 'x-forwarded-for': `203.0.113.${i}` },
        payload: { email: user.email, password: 'guess' },
      });
      statuses.push(answer.statusCode);
      if (answer.statusCode === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    app.clock.advanceSeconds(1900);
  });
});

test('thirty people of one address may sign in within a minute', async () => {
  app.clock.advanceSeconds(901);
  const people = await Promise.all(Array.from({ length: 30 }, () => addUser(app, [merchant])));
  const replies = await Promise.all(people.map(({ email, password }) => signIn(email, password)));
  expect(replies.map(({ status }) => status)).toEqual(Array(30).fill(200));
  app.clock.advanceSeconds(61);
});

describe('activating a device', () => {
  test('gives a key for one merchant, which works; the next one of the device replaces it', async () => {
    const user = await addUser(app, [merchant]);
    const session_token = await sessionOf(user);
    const first = await activate({ session_token, merchant_id: merchant.id, livemode: false });
    expect([first.status, first.body.merchant]).toEqual([200, { id: merchant.id, name: 'Test Shop', currency: 'usd' }]);
    expect(first.body.api_key).toMatch(/^sk_test_/);
    const device = new Client(app.app, first.body.api_key, undefined);
    expect((await device.get('/api/v1/m/merchant')).status).toBe(200);
    const second = await activate({ session_token, merchant_id: merchant.id, livemode: false });
    expect((await device.get('/api/v1/m/merchant')).status).toBe(401);
    const other = await activate({ session_token, merchant_id: merchant.id, livemode: false, device_name: 'Bar' });
    for (const { body } of [second, other]) {
      expect((await new Client(app.app, body.api_key, undefined).get('/api/v1/m/merchant')).status).toBe(200);
    }
    const live = await activate({ session_token, merchant_id: merchant.id });
    expect(live.body.api_key).toMatch(/^sk_live_/);
  });

  test('refuses in the interface’s words', async () => {
    const user = await addUser(app, [merchant]);
    const session_token = await sessionOf(user);
    const stranger = await app.newMerchant();
    expect((await activate({ session_token })).status).toBe(400);
    expect((await activate({ merchant_id: merchant.id })).status).toBe(400);
    expect((await activate({ session_token: 'ses_nonsense', merchant_id: merchant.id })).status).toBe(401);
    expect((await activate({ session_token, merchant_id: stranger.id })).status).toBe(404);
    expect((await activate({ session_token, merchant_id: 'x' })).status).toBe(404);
    const bare = await app.newMerchant();
    const helper = await addUser(app, [bare]);
    await app.rows(`update api_keys set revoked_at = '2000-01-01' where merchant_id = $1`, [bare.id]);
    const helperSession = await sessionOf(helper);
    expect((await activate({ session_token: helperSession, merchant_id: bare.id })).status).toBe(404);
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [bare.id]);
    expect((await activate({ session_token: helperSession, merchant_id: bare.id })).status).toBe(403);
    app.clock.advanceSeconds(13 * 3600);
    expect((await activate({ session_token, merchant_id: merchant.id })).status).toBe(401);
  });

  test.each([
    ['owner', [200, 200, 201, 200]],
    ['manager', [200, 200, 201, 200]],
    ['cashier', [200, 403, 403, 403]],
    ['accountant', [200, 200, 403, 200]],
  ] as [Role, number[]][])('a %s may do what the role may', async (role, statuses) => {
    const user = await addUser(app, [merchant], role);
    const { body } = await activate({
      session_token: await sessionOf(user),
      merchant_id: merchant.id,
      livemode: false,
    });
    const device = new Client(app.app, body.api_key, undefined);
    const replies = [
      await device.get('/api/v1/m/orders'),
      await device.get('/api/v1/m/webhooks'),
      await device.post('/api/v1/m/products', { product: { name: 'Tea', price_cents: 100 } }),
      await device.get('/api/v1/m/merchant'),
    ];
    expect(replies.map(({ status }) => status)).toEqual(statuses);
  });

  test('a device’s key cannot be rolled, is listed as pos, and goes with the role', async () => {
    const shop = await app.newMerchant();
    const user = await addUser(app, [shop], 'manager');
    const activation = { session_token: await sessionOf(user), merchant_id: shop.id, livemode: false };
    const device = new Client(app.app, (await activate(activation)).body.api_key, undefined);
    const listed = await shop.test.get('/api/v1/m/api_tokens?q[token_type_eq]=pos');
    expect(listed.body.data).toMatchObject([{ token_type: 'pos', name: 'POS (manager)' }]);
    const rolled = await device.post(`/api/v1/m/api_tokens/${listed.body.data[0].id}/roll`, {});
    expect([rolled.status, rolled.body.error.code]).toEqual([409, 'conflict']);
    const place = { userId: user.id, merchantId: shop.id, role: 'cashier' as const, now: app.clock.now() };
    await app.parts.db.transaction((tx) => giveRole(tx, place));
    app.parts.authenticator.forget();
    expect((await device.get('/api/v1/m/merchant')).status).toBe(401);
  });

  test('a device that nobody used for 30 days is out', async () => {
    const user = await addUser(app, [merchant]);
    const { body } = await activate({
      session_token: await sessionOf(user),
      merchant_id: merchant.id,
      livemode: false,
    });
    const device = new Client(app.app, body.api_key, undefined);
    expect((await device.get('/api/v1/m/merchant')).status).toBe(200);
    app.clock.advanceSeconds(31 * 24 * 3600);
    app.parts.authenticator.forget();
    expect((await device.get('/api/v1/m/merchant')).status).toBe(401);
  });
});

test('the plans are there for everybody', async () => {
  const { status, body, headers } = await app.stranger.get('/api/v1/pub/subscription_plans');
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=300']);
  expect(body.plans[0]).toMatchObject({
    slug: 'self_hosted',
    price_display: 'Free',
    rate_limits: { per_api_key_per_minute: 6000 },
    requires_kyc: false,
  });
});
