import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { issueApiKey } from '../../src/auth/api-key.ts';
import { createAuthenticator } from '../../src/auth/authenticate.ts';
import type { AppError } from '../../src/kernel/errors.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { operations } from '../../src/resources/index.ts';
import { revokeApiKey } from '../../src/store/api-keys.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client, type Reply } from '../harness/client.ts';
import { expectError } from '../harness/expect.ts';

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app.close());

const someId = '01900000-0000-7000-8000-000000000000';
const address = (operation: Operation) => operation.path.replace(/\{\w+\}/g, someId);

function knock(operation: Operation, authorization: string | undefined, query = ''): Promise<Reply> {
  const client = new Client(app.app, undefined, undefined);
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const url = `${address(operation)}${query}`;
  if (operation.method === 'GET') return client.get(url, headers);
  if (operation.method === 'DELETE') return client.delete(url, headers);
  return operation.method === 'POST' ? client.post(url, {}, headers) : client.patch(url, {}, headers);
}

// Streams that are let in would go on for ever.
const endless = new Set(operations.filter(({ answer }) => answer.kind === 'stream'));
const named = operations.map((operation) => [operation.name, operation] as const);
const guarded = named.filter(([, operation]) => !operation.access.public);
const open = named.filter(([, operation]) => operation.access.public);

describe.each(named)('%s', (_, operation) => {
  test('is declared as the list wants it', () => {
    expect(operation.name).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    expect(operation.path).toMatch(/^\/api\/v1\/[a-z_/{}]+$/);
    expect(operation.run !== undefined || operation.steps !== undefined).toBe(true);
    const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(Object.keys(operation.params).toSorted()).toEqual(placeholders.toSorted());
    expect(operation.method === 'GET' ? operation.idempotency : 'none').toBe('none');
  });
});

describe.each(open)('%s', (_, operation) => {
  test('asks nobody for a key and looks at none', async () => {
    const answers = [];
    for (const header of [undefined, 'Bearer nonsense', `Bearer ${merchant.publishable.key}`]) {
      const reply = await knock(operation, header);
      expect([401, 403]).not.toContain(reply.status);
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers['access-control-allow-origin']).toBe('*');
      answers.push(reply.status);
    }
    expect(new Set(answers).size).toBe(1);
  });
});

describe.each(guarded)('%s', (_, operation) => {
  test('answers 401 to whatever is no key', async () => {
    const key = merchant.test.key!;
    for (const [header, code] of [
      [undefined, 'missing_token'],
      ['', 'missing_token'],
      [key, 'missing_token'],
      ['Bearer', 'missing_token'],
      ['Bearer ', 'missing_token'],
      [`Basic ${Buffer.from(`${key}:`).toString('base64')}`, 'missing_token'],
      [`Bearer ${key} ${key}`, 'missing_token'],
      [`Bearer${key}`, 'missing_token'],
      ['Bearer nonsense', 'invalid_token'],
      [`Bearer ${key.slice(0, -1)}`, 'invalid_token'],
      [`Bearer ${key}x`, 'invalid_token'],
      [`Bearer ${key.toUpperCase()}`, 'invalid_token'],
      [`Bearer sk_test_${'0'.repeat(40)}`, 'invalid_token'],
    ] as const) {
      const reply = await knock(operation, header);
      expectError(reply, code);
      expect(reply.headers['www-authenticate']).toBe('Bearer');
      expect(reply.body.error.message).not.toContain(key);
    }
  });

  test('does not look for a key in the query', async () => {
    for (const name of ['key', 'api_key', 'access_token', 'token', 'authorization']) {
      expectError(await knock(operation, undefined, `?${name}=${merchant.test.key}`), 'missing_token');
    }
  });

  test('takes the scheme in any case and any number of spaces', async () => {
    if (endless.has(operation)) return;
    for (const header of ['bearer ', 'BEARER ', 'Bearer  ', 'Bearer    ']) {
      const reply = await knock(operation, `${header}${merchant.test.key}`);
      expect(reply.status).not.toBe(401);
      expect(reply.status).toBeLessThan(500);
    }
  });

  test('lets publishable keys in only where it says so (case C114)', async () => {
    for (const { key } of [merchant.publishable, merchant.livePublishable]) {
      const reply = await knock(operation, `Bearer ${key}`);
      if (operation.access.publishable) expect([401, 403]).not.toContain(reply.status);
      else expectError(reply, 'forbidden');
    }
  });
});

test('no two operations share a name or an address', () => {
  expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length);
  const addresses = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(new Set(addresses).size).toBe(operations.length);
});

describe('a key that is revoked', () => {
  const scope = () => ({ merchantId: merchant.id, livemode: false });
  const issue = () =>
    app.parts.db.transaction((tx) =>
      issueApiKey(tx, scope(), { kind: 'secret', name: 'short-lived' }, app.clock.now()),
    );
  const outcome = (attempt: () => Promise<unknown>) =>
    attempt().then(
      () => 'let in',
      (error: unknown) => (error as AppError).code,
    );

  test('is 401 revoked_token at once where it was revoked, and within 2 s everywhere', async () => {
    const { id, key } = await issue();
    const header = `Bearer ${key.reveal()}`;
    const [here, elsewhere] = [app.parts, app.parts].map(({ db, clock }) => createAuthenticator(db, clock, () => ''));
    const knockAt = (authenticator = here!) => outcome(async () => authenticator.authenticate(header, '127.0.0.1'));
    expect([await knockAt(here), await knockAt(elsewhere)]).toEqual(['let in', 'let in']);

    expect(await revokeApiKey(app.parts.db, scope(), id, app.clock.now())).toBe(true);
    here!.forget();
    expect(await knockAt(here)).toBe('revoked_token');
    // The other one may trust what it found for a moment; two seconds later it does not.
    const then = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => then + 2000);
    expect(await knockAt(elsewhere)).toBe('revoked_token');
  });

  test('is 401 over HTTP, with the header that asks for a key', async () => {
    const { id, key } = await issue();
    await revokeApiKey(app.parts.db, scope(), id, app.clock.now());
    const reply = await new Client(app.app, key.reveal(), id).get('/api/v1/m/merchant');
    expectError(reply, 'revoked_token', { message: 'This API key has been revoked' });
    expect(reply.headers['www-authenticate']).toBe('Bearer');
  });

  test('is revoked once, and only by its own merchant and mode', async () => {
    const { id } = await issue();
    const other = await app.newMerchant();
    const { db, clock } = app.parts;
    const foreign = { merchantId: other.id, livemode: false };
    expect(await revokeApiKey(db, foreign, id, clock.now())).toBe(false);
    expect(await revokeApiKey(db, { ...scope(), livemode: true }, id, clock.now())).toBe(false);
    expect(await revokeApiKey(db, scope(), id, clock.now())).toBe(true);
    expect(await revokeApiKey(db, scope(), id, clock.now())).toBe(false);
  });
});

describe('a key bound to addresses', () => {
  test.each([
    [['10.0.0.0/8'], '10.1.2.3', true],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['10.0.0.0/8', '192.0.2.7/32'], '192.0.2.7', true],
    [['2001:db8::/32'], '2001:db8::1', true],
    [['2001:db8::/32'], '10.0.0.1', false],
    [['0.0.0.0/0'], '::1', false],
    [['10.0.0.0/8'], 'nonsense', false],
  ] as const)('%j from %s', async (ipRanges, peer, allowed) => {
    const { db, clock } = app.parts;
    const terms = { kind: 'secret' as const, name: 'bound', ipRanges };
    const { key } = await db.transaction((tx) =>
      issueApiKey(tx, { merchantId: merchant.id, livemode: false }, terms, clock.now()),
    );
    const attempt = async () => createAuthenticator(db, clock, () => '').authenticate(`Bearer ${key.reveal()}`, peer);
    if (allowed) expect(await attempt()).toMatchObject({ merchantId: merchant.id });
    else await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
  });
});

test('only a hash of a key is kept, and the key is long enough', async () => {
  const key = merchant.test.key!;
  expect(key).toMatch(/^sk_test_[0-9A-Za-z]{32,}$/);
  expect(merchant.live.key).toMatch(/^sk_live_/);
  expect(merchant.publishable.key).toMatch(/^pk_test_/);
  expect(merchant.livePublishable.key).toMatch(/^pk_live_/);
  const rows = await app.rows('select * from api_keys where id = $1', [merchant.test.id]);
  expect(rows[0]).toMatchObject({ prefix: 'sk_test_', last_four: key.slice(-4) });
  expect(JSON.stringify(rows)).not.toContain(key.slice(8, -4));
});

test('a merchant that is not active is refused wherever that is not said otherwise', async () => {
  const closed = await app.newMerchant();
  await app.rows(`update merchants set status = 'suspended' where id = $1`, [closed.id]);
  for (const operation of operations) {
    if (operation.access.whileInactive || operation.access.public) continue;
    expectError(await knock(operation, `Bearer ${closed.test.key}`), 'forbidden');
  }
});
