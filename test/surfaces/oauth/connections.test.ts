import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endConnectionAsOperator } from '../../../src/flows/end-oauth-connection.ts';
import { giveRole } from '../../../src/flows/give-role.ts';
import { signOutEverywhere } from '../../../src/flows/sign-out.ts';
import { sweepOnce } from '../../../src/jobs/sweep.ts';
import { type Logger, silentLog } from '../../../src/kernel/log.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { operations } from '../../../src/resources/index.ts';
import { setMerchantStatus } from '../../../src/store/merchants.ts';
import { deleteMembership } from '../../../src/store/users.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { expectError } from '../../harness/expect.ts';
import { Assistant, connect, mcpPath, type Tokens } from '../../harness/oauth.ts';
import { addUser } from '../../harness/people.ts';
import { describeRefusals } from '../../harness/refusals.ts';

type Person = Awaited<ReturnType<typeof addUser>>;

let app: TestApp;
let merchant: TestMerchant;
let owner: Person;
const lines: string[] = [];
const write = (...said: unknown[]) => void lines.push(JSON.stringify(said));
const log = { ...silentLog, debug: write, info: write, warn: write, error: write } as Logger;

beforeAll(async () => {
  app = await openTestApp({ watch: false, log });
  merchant = await app.newMerchant();
  owner = await addUser(app, [merchant]);
});
afterAll(() => app.close());

/** Somebody of their own, so that what ends here ends nobody else's. */
async function connected(mode: 'test' | 'live' = 'test', scope?: string) {
  const person = await addUser(app, [merchant]);
  const connection = await connect(app, person, merchant.id, { mode, ...(scope ? { scope } : {}) });
  const listed = await (mode === 'test' ? merchant.test : merchant.live).get('/api/v1/m/oauth_connections');
  return { person, ...connection, id: listed.body.data[0].id as string };
}

const call = async (client: Client, name: string, args: object = {}) => {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  const reply = await client.post(mcpPath, body);
  return { status: reply.status, headers: reply.headers, result: reply.body.result };
};
const works = async (client: Client) => (await client.get('/api/v1/m/catalog')).status;

describe('a connected assistant', () => {
  let client: Client;
  let tokens: Tokens;
  beforeAll(async () => {
    ({ client, tokens } = await connect(app, owner, merchant.id));
  });

  test('has an opaque bearer token with what was agreed to', () => {
    expect(tokens).toMatchObject({ token_type: 'Bearer', scope: 'catalog payment_links', expires_in: 8 * 3600 });
    expect(tokens.access_token).toMatch(/^[\w-]{43}$/);
  });

  test('manages the catalog over REST, in the mode that was chosen', async () => {
    const made = await client.post('/api/v1/m/products', { product: { name: 'Tea', price_cents: 300 } });
    expect(made.status).toBe(201);
    expect(made.body.livemode).toBe(false);
    const path = `/api/v1/m/products/${made.body.id}`;
    expect((await client.patch(path, { product: { price_cents: 350 } })).body.price_cents).toBe(350);
    expect((await merchant.test.get(path)).status).toBe(200);
    expectError(await merchant.live.get(path), 'not_found');
    expect((await client.get('/api/v1/m/catalog')).status).toBe(200);
    expect((await client.post('/api/v1/m/taxes', { tax: { name: 'VAT', rate: '19' } })).status).toBe(201);
    expect((await client.delete(path)).status).toBe(204);
  });

  test('calls the tools of catalog and payment links; others are the API’s 403 in a result (case C102)', async () => {
    const link = await call(client, 'create_payment_link', { name: 'Sticker', price_cents: 300 });
    expect(link.result).toMatchObject({ isError: false });
    expect((await call(client, 'list_products')).result).toMatchObject({ isError: false });
    for (const name of ['list_payments', 'get_merchant', 'list_wallets', 'create_order', 'create_checkout_session']) {
      const refused = await call(client, name);
      expect(refused.status).toBe(200);
      expect(refused.result).toMatchObject({ isError: true });
      expect(JSON.parse(refused.result.content[0].text).error).toMatchObject({ code: 'forbidden' });
    }
  });

  test('sees nothing of another merchant', async () => {
    const other = await app.newMerchant();
    const { body } = await other.test.post('/api/v1/m/products', { product: { name: 'Theirs', price_cents: 1 } });
    expectError(await client.get(`/api/v1/m/products/${body.id}`), 'not_found');
  });

  test('counts for itself: idempotency keys and last use', async () => {
    const body = { product: { name: 'Once', price_cents: 100 } };
    const first = await client.post('/api/v1/m/products', body, { 'idempotency-key': 'k' });
    expect((await client.post('/api/v1/m/products', body, { 'idempotency-key': 'k' })).body.id).toBe(first.body.id);
    expect((await merchant.test.post('/api/v1/m/products', body, { 'idempotency-key': 'k' })).body.id).not.toBe(
      first.body.id,
    );
    await app.parts.usage.flush();
    const { body: list } = await merchant.test.get('/api/v1/m/oauth_connections');
    expect(list.data[0]).toMatchObject({
      object: 'oauth_connection',
      livemode: false,
      client_name: 'Test Assistant',
      redirect_host: '127.0.0.1',
      scopes: ['catalog', 'payment_links'],
      user_id: owner.id,
      last_used_at: expect.any(String),
      revoked_at: null,
    });
  });

  const path = (operation: Operation) => operation.path.replace(/\{\w+\}/g, '01900000-0000-7000-8000-000000000000');
  const mayBeCalled = /^\/api\/v1\/m\/(catalog|products|product_types|taxes|discounts|payment_links)(\/|$)/;

  test('is refused on every other operation, keys of products among them (case C102)', async () => {
    let refused = 0;
    for (const operation of operations) {
      if (operation.access.public) continue;
      const isOpen = mayBeCalled.test(operation.path) && !/key/.test(operation.path);
      if (isOpen) continue;
      const url = path(operation);
      const reply =
        operation.method === 'GET'
          ? await client.get(url)
          : operation.method === 'DELETE'
            ? await client.delete(url)
            : operation.method === 'PATCH'
              ? await client.patch(url, {})
              : await client.post(url, {});
      expect(reply.status, operation.name).toBe(403);
      refused++;
    }
    expect(refused).toBeGreaterThan(60);
  });

  test('a scope that was not given is missing', async () => {
    const { client: linker } = await connected('test', 'payment_links');
    const body = { payment_link: { name: 'Cup', price_cents: 700 } };
    expect((await linker.post('/api/v1/m/payment_links', body)).status).toBe(201);
    expectError(await linker.get('/api/v1/m/catalog'), 'forbidden', { message: /scope catalog/ });
    const { client: cataloguer } = await connected('test', 'catalog');
    expectError(await cataloguer.post('/api/v1/m/payment_links', body), 'forbidden', {
      message: /scope payment_links/,
    });
    expect(await works(cataloguer)).toBe(200);
  });

  test('works with live data where that was chosen', async () => {
    const { client: live } = await connected('live');
    const made = await live.post('/api/v1/m/products', { product: { name: 'Live tea', price_cents: 300 } });
    expect(made.body.livemode).toBe(true);
    expect((await merchant.live.get(`/api/v1/m/products/${made.body.id}`)).status).toBe(200);
  });
});

describe('a token stops working', () => {
  async function expectEnded(
    { client, assistant, tokens }: Awaited<ReturnType<typeof connected>>,
    code = 'revoked_token',
  ) {
    const rest = await client.get('/api/v1/m/catalog');
    expectError(rest, code as 'revoked_token');
    const mcp = await call(client, 'get_catalog');
    expect(mcp.status).toBe(401);
    expect(mcp.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(mcp.headers['www-authenticate']).toContain('resource_metadata=');
    const refreshed = await assistant.refresh(tokens.refresh_token);
    expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  }
  const audit = async (id: string) =>
    await app.rows<{ action: string; actor: string }>(
      'select action, actor from audit_log where subject_id = $1 order by number',
      [id],
    );

  test('when it expires; its refresh token goes on', async () => {
    const one = await connected();
    app.clock.advanceSeconds(8 * 3600 - 1);
    expect(await works(one.client)).toBe(200);
    app.clock.advanceSeconds(2);
    app.parts.authenticator.forget();
    expectError(await one.client.get('/api/v1/m/catalog'), 'invalid_token', { message: /expired/ });
    expect((await one.assistant.refresh(one.tokens.refresh_token)).status).toBe(200);
  });

  test('when the connection is revoked over the API, at once; the log tells who made it and who ended it', async () => {
    const one = await connected();
    expect(await works(one.client)).toBe(200);
    expectError(await merchant.live.delete(`/api/v1/m/oauth_connections/${one.id}`), 'not_found');
    expect((await merchant.test.delete(`/api/v1/m/oauth_connections/${one.id}`)).status).toBe(204);
    await expectEnded(one);
    expectError(await merchant.test.delete(`/api/v1/m/oauth_connections/${one.id}`), 'not_found');
    const shown = await merchant.test.get(`/api/v1/m/oauth_connections/${one.id}`);
    expect(shown.body.revoked_at).toEqual(expect.any(String));
    expect(await audit(one.id)).toEqual([
      { action: 'create_oauth_connection', actor: 'user' },
      { action: 'revoke_oauth_connection', actor: 'api_token' },
    ]);
  });

  test.each(['access_token', 'refresh_token'] as const)('when the client revokes its %s (RFC 7009)', async (kind) => {
    const one = await connected();
    expect(await works(one.client)).toBe(200);
    expect((await one.assistant.revoke(one.tokens[kind])).status).toBe(200);
    await expectEnded(one, kind === 'access_token' ? 'invalid_token' : 'revoked_token');
    expect((await audit(one.id)).at(-1)).toEqual({ action: 'revoke_oauth_connection', actor: 'oauth_connection' });
    // Again, and for what never was: 200 (RFC 7009, 2.2).
    expect((await one.assistant.revoke(one.tokens[kind])).status).toBe(200);
    expect((await one.assistant.revoke('x'.repeat(43))).status).toBe(200);
  });

  test('but not because another client asks for it', async () => {
    const [one, other] = [await connected(), await connected()];
    await other.assistant.revoke(one.tokens.refresh_token);
    expect(await works(one.client)).toBe(200);
  });

  test('when the operator revokes it', async () => {
    const one = await connected();
    expect(await endConnectionAsOperator(app.parts, one.id)).toBe(true);
    expect(await endConnectionAsOperator(app.parts, one.id)).toBe(false);
    await expectEnded(one);
  });

  test('when who connected it loses the place, gets another role, or signs out everywhere', async () => {
    const { parts, clock } = app;
    const [gone, demoted, out] = [await connected(), await connected(), await connected()];
    await deleteMembership(parts.db, gone.person.id, merchant.id);
    const place = { userId: demoted.person.id, merchantId: merchant.id, role: 'cashier' as const, now: clock.now() };
    await parts.db.transaction((tx) => giveRole(tx, place));
    await parts.db.transaction((tx) => signOutEverywhere(tx, parts, out.person.id, clock.now()));
    parts.authenticator.forget();
    for (const one of [gone, demoted, out]) await expectEnded(one);
    // A role that comes back brings no token back.
    await parts.db.transaction((tx) => giveRole(tx, { ...place, role: 'manager' }));
    await expectEnded(demoted);
  });

  test('while the merchant is suspended, with 403 as for keys', async () => {
    const shop = await app.newMerchant();
    const { client } = await connect(app, await addUser(app, [shop]), shop.id);
    await setMerchantStatus(app.parts.db, shop.id, 'suspended', app.clock.now());
    app.parts.authenticator.forget();
    expectError(await client.get('/api/v1/m/catalog'), 'forbidden', { message: /suspended/ });
    await setMerchantStatus(app.parts.db, shop.id, 'active', app.clock.now());
    app.parts.authenticator.forget();
    expect(await works(client)).toBe(200);
  });

  test('when the same client is connected anew by the same person', async () => {
    const one = await connected();
    const url = await one.assistant.consent({ answer: 'allow', merchant: merchant.id, mode: 'test' });
    await expectEnded(one);
    const { body } = await one.assistant.redeem(url.searchParams.get('code')!);
    expect(
      (await merchant.test.get('/api/v1/m/catalog', { authorization: `Bearer ${body.access_token}` })).status,
    ).toBe(200);
  });

  test('when it was made for another address of this service', async () => {
    const one = await connected();
    await app.rows(
      `update oauth_artifacts set audience = 'https://elsewhere.example/api/v1/mcp' where connection_id = $1 and model = 'AccessToken'`,
      [one.id],
    );
    app.parts.authenticator.forget();
    expectError(await one.client.get('/api/v1/m/catalog'), 'invalid_token', { message: /another service/ });
  });
});

describe('the sweep', () => {
  test('takes what has expired and clients that nobody connected; a connection that rests for 30 days ends', async () => {
    const shop = await app.newMerchant();
    const { assistant, tokens } = await connect(app, await addUser(app, [shop]), shop.id);
    const idle = new Assistant(app);
    await idle.register();
    const clients = async () =>
      (
        await app.rows<{ id: string }>('select id from oauth_clients where id = any($1)', [
          [assistant.clientId, idle.clientId],
        ])
      ).map(({ id }) => id);
    app.clock.advanceSeconds(25 * 3600);
    await sweepOnce(app.parts);
    expect(await clients()).toEqual([assistant.clientId]);
    expect((await idle.authorize()).statusCode).toBe(400);
    expect((await idle.refresh('x'.repeat(43))).body.error).toBe('invalid_client');
    const refreshed = await assistant.refresh(tokens.refresh_token);
    expect(refreshed.status).toBe(200);

    app.clock.advanceSeconds(30 * 24 * 3600 + 1);
    await sweepOnce(app.parts);
    const list = await shop.test.get('/api/v1/m/oauth_connections');
    expect(list.body.data).toMatchObject([{ revoked_at: expect.any(String) }]);
    app.clock.advanceSeconds(91 * 24 * 3600);
    await sweepOnce(app.parts);
    expect((await shop.test.get('/api/v1/m/oauth_connections')).body.data).toEqual([]);
    expect(await clients()).toEqual([]);
    expect(await app.rows('select 1 from oauth_artifacts where client_id = $1', [assistant.clientId])).toEqual([]);
  });
});

describe('what is kept', () => {
  test('opens nothing: no row and no log line holds a token, code, secret or half-done authorization', async () => {
    const assistant = new Assistant(app);
    const { body: client } = await assistant.register({ token_endpoint_auth_method: 'client_secret_post' });
    await assistant.signIn(owner);
    const begun = await assistant.authorize();
    const url = await assistant.answer(begun.headers.location!, {
      answer: 'allow',
      merchant: merchant.id,
      mode: 'test',
    });
    const code = url.searchParams.get('code')!;
    const { body: tokens } = await assistant.redeem(code);
    const uid = begun.headers.location!.split('/').at(-1)!;
    const secrets = [
      client.client_secret,
      client.registration_access_token,
      code,
      tokens.access_token,
      tokens.refresh_token,
      uid,
    ];
    expect(secrets.every((secret) => typeof secret === 'string' && secret.length > 20)).toBe(true);
    const tables = await app.rows<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables) {
      const text = JSON.stringify(await app.rows(`select t::text from "${name}" t`));
      for (const secret of secrets) {
        expect(text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')), name).toBe(false);
      }
    }
    // What was refused is told, with its reason and without what was sent.
    await assistant.redeem(code);
    expect(lines.join()).toContain('OAuth refused');
    for (const secret of secrets) expect(lines.join()).not.toContain(secret);
  });
});

describe('oauth_connections', () => {
  const make = (mode: 'test' | 'live') => async (shop: TestMerchant) => {
    await connect(app, await addUser(app, [shop]), shop.id, { mode });
    return (await (mode === 'test' ? shop.test : shop.live).get('/api/v1/m/oauth_connections')).body.data[0].id;
  };
  const resource = { resource: 'OAuth connection', make: make('test'), makeLive: make('live') };
  const one = (id: string) => `/api/v1/m/oauth_connections/${id}`;
  describe('list', () =>
    describeRefusals(() => app, { method: 'GET', path: () => one('').slice(0, -1), permission: 'merchant:read' }));
  describe('get', () =>
    describeRefusals(() => app, { method: 'GET', path: one, permission: 'merchant:read', ...resource }));
  describe('revoke', () =>
    describeRefusals(() => app, {
      method: 'DELETE',
      path: one,
      permission: 'merchant:write',
      success: 204,
      ...resource,
    }));
});
