import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Permission } from '../../src/kernel/context.ts';
import { type Role, roles } from '../../src/model/user.ts';
import type { Operation } from '../../src/operation/operation.ts';
import { operations } from '../../src/resources/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client, type Reply } from '../harness/client.ts';
import { expectError } from '../harness/expect.ts';
import { addUser } from '../harness/people.ts';

/** Who may call what, by what an operation needs. Written down here again, so that a slip in the code shows. */
const allowed: Readonly<Record<Permission | 'none', readonly Role[]>> = {
  none: roles,
  'orders:read': roles,
  'orders:write': ['owner', 'manager', 'cashier'],
  'payments:read': roles,
  'payments:write': ['owner', 'manager'],
  'catalog:read': roles,
  'catalog:write': ['owner', 'manager'],
  'checkout:read': roles,
  'checkout:write': ['owner', 'manager', 'cashier'],
  'webhooks:read': ['owner', 'manager', 'accountant'],
  'webhooks:write': ['owner', 'manager'],
  'wallets:read': ['owner', 'manager', 'accountant'],
  'wallets:write': ['owner', 'manager'],
  'media_keys:read': ['owner', 'manager'],
  'media_keys:write': ['owner', 'manager'],
  'media_keys:manage': ['owner', 'manager'],
  'merchant:read': ['owner', 'manager', 'accountant'],
  'merchant:write': ['owner', 'manager'],
};
/** What needs no permission, because every key may do it. */
const free = ['verify_public_access_token', 'get_rates'];

let app: TestApp;
let merchant: TestMerchant;
const devices = new Map<Role, Client>();
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  for (const role of roles) {
    const user = await addUser(app, [merchant], role);
    const { body } = await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: user.password });
    const activation = {
      session_token: body.session_token,
      merchant_id: merchant.id,
      livemode: false,
      // Nobody asked for these.
      role: 'owner',
      permissions: null,
      scopes: ['merchant:write'],
      user_id: '01900000-0000-7000-8000-000000000000',
    };
    const { body: device } = await app.stranger.post('/api/v1/m/sessions/activate', activation);
    devices.set(role, new Client(app.app, device.api_key, undefined));
  }
});
afterAll(() => app.close());

const someId = '01900000-0000-7000-8000-000000000000';

function knock(client: Client, { method, path }: Operation): Promise<Reply> {
  const url = path.replace(/\{\w+\}/g, someId);
  if (method === 'GET') return client.get(url);
  if (method === 'DELETE') return client.delete(url);
  return method === 'POST' ? client.post(url, {}) : client.patch(url, {});
}

// A stream that lets somebody in goes on for ever.
const guarded = operations.filter(({ access, answer }) => !access.public && answer.kind !== 'stream');

describe.each(roles)('the device of somebody who is %s', (role) => {
  test('may call what the table says, and nothing else', async () => {
    const device = devices.get(role)!;
    for (const operation of guarded) {
      const { permission } = operation.access;
      const reply = await knock(device, operation);
      const may = allowed[permission ?? 'none'].includes(role);
      const told = `${role} ${operation.name}: ${reply.status}`;
      if (may) expect([401, 403], told).not.toContain(reply.status);
      else {
        expect(reply.status, told).toBe(403);
        expectError(reply, 'forbidden', { message: `This key lacks the permission ${permission}` });
      }
    }
  });

  test('calls over MCP no more than that', async () => {
    const send = async (method: string, params: unknown) =>
      (await devices.get(role)!.post('/api/v1/mcp', { jsonrpc: '2.0', id: 1, method, params })).body;
    const may = allowed['catalog:write'].includes(role);
    const { result } = await send('tools/list', {});
    expect(result.tools.some(({ name }: { name: string }) => name === 'create_product')).toBe(may);
    const product = { name: `Tea of the ${role}`, price_cents: 100 };
    const answer = await send('tools/call', { name: 'create_product', arguments: product });
    expect(JSON.stringify(answer).includes('lacks the permission catalog:write')).toBe(!may);
    const made = await app.rows('select 1 from products where name = $1', [product.name]);
    expect(made).toHaveLength(may ? 1 : 0);
  });
});

test('only reading needs a permission to read', () => {
  const writing = operations.filter(
    ({ access, method }) => access.permission?.endsWith(':read') && method !== 'GET' && !access.public,
  );
  expect(writing.map(({ name }) => name)).toEqual(['verify_access_token']);
});

test('no operation is open to every key by oversight', () => {
  const open = operations.filter(({ access }) => !access.public && access.permission === undefined);
  expect(open.map(({ name }) => name).toSorted()).toEqual([...free].toSorted());
});

test('a key that may make keys makes none that may do more', async () => {
  const narrowed = await merchant.narrowed('merchant:write', 'orders:read');
  const make = (permissions: unknown) =>
    narrowed.post('/api/v1/m/api_tokens', { api_token: { name: 'More', token_type: 'secret', permissions } });
  for (const permissions of [null, undefined, ['orders:write'], ['orders:read', 'wallets:write']]) {
    expectError(await make(permissions), 'forbidden');
  }
  expect((await make(['orders:read'])).status).toBe(201);
  const roll = await narrowed.post(`/api/v1/m/api_tokens/${merchant.test.id}/roll`, {});
  expectError(roll, 'forbidden');
});
