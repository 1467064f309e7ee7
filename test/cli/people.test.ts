import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sentenceOf } from '../../src/cli/failure.ts';
import { ManualClock } from '../../src/kernel/clock.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { turnOnSecondFactor } from '../harness/second-factor.ts';
import { Visitor } from '../harness/visitor.ts';
import { printedBy } from './run-in-process.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** @returns what a command printed as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
async function run(...words: string[]): Promise<any> {
  return JSON.parse(await printedBy(database.env, ...words, '--json'));
}

const fault = (...words: string[]) =>
  run(...words).then(
    () => undefined,
    (error) => sentenceOf(error),
  );

async function withApp<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const kept = { ...database, drop: async () => {} };
  const app = await openTestApp({ watch: false, database: kept, clock: new ManualClock(new Date()) });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

describe('people and their merchant', { timeout: 180_000 }, () => {
  let merchantId: string;
  let invitation: string;
  let password: string;

  test('a merchant can be made pending, and begins when it is activated', async () => {
    const made = await run('merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com', '--pending');
    merchantId = made.id;
    expect(made.status).toBe('pending');
    expect((await run('merchant', 'activate')).status).toBe('active');
    // Nothing changes and nothing is recorded.
    expect((await run('merchant', 'activate', merchantId)).status).toBe('active');
    await run('key', 'create');
  });

  test('a merchant is put on another plan, once', async () => {
    const { data } = await run('plan', 'list');
    expect(data.map(({ slug }: never) => slug)).toEqual(expect.arrayContaining(['self_hosted', 'starter']));
    expect(await run('merchant', 'plan')).toMatchObject({ merchant_id: merchantId, plan: { slug: 'self_hosted' } });
    for (const id of [merchantId, undefined]) {
      expect(await run('merchant', 'plan', ...(id ? [id] : []), '--set', 'starter')).toMatchObject({
        object: 'merchant_plan',
        plan: data.find(({ slug }: { slug: string }) => slug === 'starter'),
      });
    }
    expect(await fault('merchant', 'plan', '--set', 'gold')).toBe(
      'There is no plan "gold". "satline plan list" shows them.',
    );
    expect(await run('merchant', 'plan')).toMatchObject({ plan: { slug: 'starter' } });
    await run('merchant', 'plan', '--set', 'self_hosted');
  });

  test('somebody is invited, and listed as such', async () => {
    const invited = await run('user', 'invite', 'ada@example.com', '--role', 'cashier', '--name', 'Ada');
    expect(invited).toMatchObject({
      object: 'invitation',
      email: 'ada@example.com',
      merchant_id: merchantId,
      role: 'cashier',
      url: expect.stringMatching(/\/invitation\/[\w-]{43}$/),
      mailed: false,
    });
    invitation = invited.url;
    await run('user', 'invite', 'eve@example.com', '--role', 'owner');
    const added = await run('user', 'add', 'bob@example.com', '--role', 'manager');
    password = added.password;
    const { data } = await run('user', 'list');
    expect(data.map(({ email, role, state }: never) => [email, role, state])).toEqual([
      ['bob@example.com', 'manager', 'active'],
      ['ada@example.com', 'cashier', 'invited'],
      ['eve@example.com', 'owner', 'invited'],
    ]);
    expect(JSON.stringify(data)).not.toMatch(/hash|argon2/);
  });

  test('faults say what to do', async () => {
    expect(await fault('user', 'invite', 'bob@example.com', '--role', 'owner')).toMatch(
      /bob@example.com is manager at Shop already\. "satline user add bob@example.com --role …" changes the role/,
    );
    for (const command of [['sign-out'], ['sessions'], ['password-link'], ['reset-second-factor']]) {
      expect(await fault('user', ...command, 'nobody@example.com')).toMatch(
        /^Nobody signs in as nobody@example.com\. "satline user list" shows who does/,
      );
    }
    expect(await fault('user', 'remove', 'nobody@example.com')).toMatch(/has no place at Shop\. "satline user list"/);
    const stranger = '01890000-0000-7000-8000-000000000001';
    expect(await fault('user', 'sessions', 'bob@example.com', '--revoke', stranger)).toMatch(
      /no sign-in or device key .* that works\. "satline user sessions bob@example.com" shows them/,
    );
    expect(await fault('merchant', 'suspend', stranger)).toMatch(/No merchant has the id .* "satline merchant list"/);
  });

  test('an invitation is withdrawn like a place', async () => {
    expect(await run('user', 'remove', 'EVE@example.com')).toMatchObject({ revoked_keys: 0 });
    const { data } = await run('user', 'list');
    expect(data.map(({ email }: never) => email)).toEqual(['bob@example.com', 'ada@example.com']);
  });

  test('a second factor is taken away from who has lost it', async () => {
    const reset = ['user', 'reset-second-factor', 'bob@example.com'] as const;
    expect(await fault(...reset)).toMatch(/bob@example.com has no second factor/);
    const bob = { email: 'bob@example.com', password };
    await withApp(async (app) => {
      const visitor = new Visitor(app.app);
      await visitor.signIn(bob);
      await turnOnSecondFactor(app, visitor, password);
      await visitor.submit('/sign-out');
      expect((await app.stranger.post('/api/v1/m/sessions', bob)).status).toBe(401);
    });
    const secured = async () => {
      const { data } = await run('user', 'list');
      return data
        .filter((one: { has_second_factor: boolean }) => one.has_second_factor)
        .map(({ email }: never) => email);
    };
    expect(await secured()).toEqual(['bob@example.com']);
    expect(await run(...reset)).toEqual({ email: 'bob@example.com' });
    expect(await secured()).toEqual([]);
    const { data } = await run('user', 'sessions', 'bob@example.com');
    expect(data).toEqual([]);
  });

  test('sign-ins and device keys are listed, ended one by one, and all together', async () => {
    const { url } = await run('user', 'password-link', 'bob@example.com', '--no-mail');
    const keys = await withApp(async (app) => {
      const accepted = await post(app, invitation, 'seven otters rowing home');
      expect([accepted.statusCode, accepted.body.includes('You are in')]).toEqual([200, true]);
      expect((await app.app.inject({ method: 'GET', url: new URL(url).pathname })).statusCode).toBe(200);
      const { body } = await app.stranger.post('/api/v1/m/sessions', { email: 'bob@example.com', password });
      const activation = { session_token: body.session_token, merchant_id: merchantId, livemode: false };
      const activate = async (device_name: string) =>
        (await app.stranger.post('/api/v1/m/sessions/activate', { ...activation, device_name })).body.api_key;
      return [await activate('Till'), await activate('Bar'), await activate('Door')] as string[];
    });
    const { data } = await run('user', 'sessions', 'bob@example.com');
    expect(data.map(({ object, device_name }: never) => [object, device_name])).toEqual([
      ['sign_in', 'a device'],
      ['device_key', 'Till'],
      ['device_key', 'Bar'],
      ['device_key', 'Door'],
    ]);
    expect(JSON.stringify(data)).not.toContain(keys[0]);
    const [signIn, till] = data;
    expect(await run('user', 'sessions', 'bob@example.com', '--revoke', till.id)).toMatchObject({
      id: till.id,
      merchant_id: merchantId,
      revoked_at: expect.any(String),
    });
    expect(await fault('user', 'sessions', 'ada@example.com', '--revoke', signIn.id)).toMatch(/has no sign-in/);
    await run('user', 'sessions', 'bob@example.com', '--revoke', signIn.id);
    expect((await run('user', 'sessions', 'bob@example.com')).data).toHaveLength(2);
    expect(await run('user', 'sign-out', 'bob@example.com')).toEqual({
      email: 'bob@example.com',
      sign_ins: 0,
      revoked_keys: 2,
      ended_connections: 0,
    });
    expect(await run('user', 'sessions', 'bob@example.com')).toEqual({ object: 'list', data: [] });
    await withApp(async (app) => {
      for (const key of keys)
        expect((await new Client(app.app, key, undefined).get('/api/v1/m/merchant')).status).toBe(401);
    });
  });

  test('a new password from the operator ends what the old one opened, links too', async () => {
    const { url } = await run('user', 'password-link', 'bob@example.com');
    const { password: second } = await run('user', 'add', 'bob@example.com', '--role', 'manager', '--reset-password');
    expect(second).toMatch(/^\w{20}$/);
    await withApp(async (app) => {
      expect((await app.app.inject({ method: 'GET', url: new URL(url).pathname })).statusCode).toBe(404);
      const signIn = (password: string) =>
        app.stranger.post('/api/v1/m/sessions', { email: 'bob@example.com', password });
      expect([(await signIn(password)).status, (await signIn(second)).status]).toEqual([401, 200]);
    });
  });

  test('wallets are switched, changed and removed on record; a suspended merchant’s log goes on', async () => {
    const { data } = await run('wallet', 'list');
    const { id } = data.find(({ livemode }: { livemode: boolean }) => !livemode) ?? data[0];
    await run('wallet', 'disable', id);
    await run('wallet', 'enable', id);
    await run('wallet', 'change', id, '--name', 'Till');
    await run('wallet', 'remove', id);
    expect((await run('merchant', 'suspend', merchantId)).status).toBe('suspended');
  });

  test('the log tells all of it, and shows what was altered', async () => {
    const check = await run('audit-log', 'verify');
    const entries = await withApp((app) =>
      app.rows<{ action: string; actor: string }>('select action, actor from audit_log order by number'),
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'create_merchant',
      'activate_merchant',
      'create_api_token',
      'change_plan',
      'change_plan',
      'invite_user',
      'invite_user',
      'add_user',
      'remove_user',
      'turn_on_second_factor',
      'reset_second_factor',
      'create_password_link',
      'accept_invitation',
      'activate_session',
      'activate_session',
      'activate_session',
      'revoke_api_token',
      'end_sign_in',
      'sign_out_user',
      'create_password_link',
      'set_password',
      'add_user',
      'update_wallet',
      'update_wallet',
      'update_wallet',
      'delete_wallet',
      'suspend_merchant',
    ]);
    expect(check).toEqual({
      object: 'audit_log_check',
      merchant_id: merchantId,
      holds: true,
      count: entries.length,
      last_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      broken_at: null,
    });
    await withApp((app) => app.rows(`update audit_log set actor = 'user' where number = 3`));
    expect(await run('audit-log', 'verify')).toMatchObject({ holds: false, count: 2, broken_at: 3 });
  });
});

function post(app: TestApp, url: string, password: string) {
  return app.app.inject({
    method: 'POST',
    url: new URL(url).pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    payload: new URLSearchParams({ password, repeat: password }).toString(),
  });
}
