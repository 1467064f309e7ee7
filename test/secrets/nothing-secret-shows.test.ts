import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Logger } from '../../src/kernel/log.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { type BusyShop, openBusyShop, unusedMailServer } from '../harness/busy-shop.ts';
import { secretsKey } from '../harness/database.ts';

const logged: string[] = [];
let app: TestApp;
let shop: BusyShop;
let secrets: [what: string, secret: string][];

beforeAll(async () => {
  const write = (...entry: unknown[]) => void logged.push(entry.map(everythingIn).join(' '));
  const log = { debug: write, info: write, warn: write, error: write, child: () => log } as unknown as Logger;
  app = await openTestApp({ log, env: unusedMailServer });
  shop = await openBusyShop(app);
  secrets = [...shop.secrets, ['secrets key', secretsKey], ['password of the mail server', 'mail-server-password']];
});
afterAll(async () => {
  await shop.close();
  await app.close();
});

/** What a log could show of a value, errors with their causes included. */
function everythingIn(value: unknown): string {
  const seen = new Set<unknown>();
  return JSON.stringify(value, (_, member) => {
    if (typeof member === 'bigint') return String(member);
    if (typeof member !== 'object' || member === null) return member;
    if (seen.has(member)) return undefined;
    seen.add(member);
    if (!(member instanceof Error)) return member;
    return { ...member, message: member.message, stack: member.stack, cause: member.cause };
  });
}

/** A secret in every spelling that it could hide in. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const raw = /^([0-9a-f]{2}){16,}$/.test(secret) ? [Buffer.from(secret, 'hex')] : [];
  return [
    secret,
    ...[bytes, ...raw].flatMap((one) => [one.toString('hex'), one.toString('base64'), one.toString('base64url')]),
  ];
}

function expectNoSecretIn(text: string, where: string): void {
  for (const [what, secret] of secrets) {
    for (const spelling of spellings(secret)) expect(text.includes(spelling), `${what} in ${where}`).toBe(false);
  }
}

test('in no column of the database', async () => {
  const tables = await app.rows<{ name: string }>(
    `select table_name as name from information_schema.tables
      where table_schema = current_schema() and table_type = 'BASE TABLE'`,
  );
  expect(tables.length).toBeGreaterThan(20);
  for (const { name } of tables) {
    const rows = await app.rows<{ text: string }>(`select row_to_json(t)::text as text from "${name}" t`);
    expectNoSecretIn(rows.map(({ text }) => text).join('\n'), name);
  }
});

test('in no webhook, neither body nor header', async () => {
  await app.deliverDue();
  const kinds = shop.receiver.kinds();
  expect(kinds).toEqual(expect.arrayContaining(['media_key.rotated', 'product.key_rotated', 'payment.confirmed']));
  for (const { body, headers, event } of shop.receiver.received) {
    expectNoSecretIn(`${JSON.stringify(headers)} ${body}`, `webhook ${event.event}`);
  }
});

test('in no list and no page of a resource', async () => {
  const { test: client } = shop.merchant;
  const names = [
    'orders',
    'payments',
    'sales',
    'products',
    'media_keys',
    'wallets',
    'webhooks',
    'events',
    'api_tokens',
  ];
  const paths = [
    ...names,
    'audit_log',
    'catalog',
    'merchant',
    'checkout_sessions',
    `webhooks/${shop.webhookId}/deliveries`,
  ];
  for (const path of paths) {
    const reply = await client.get(`/api/v1/m/${path}`);
    expect([path, reply.status]).toEqual([path, 200]);
    expectNoSecretIn(JSON.stringify([reply.headers, reply.body]), path);
  }
  for (const path of [
    `media_keys/${shop.mediaKeyId}`,
    `webhooks/${shop.webhookId}`,
    `wallets/${shop.phoenixd.walletId}`,
  ]) {
    expectNoSecretIn(JSON.stringify((await client.get(`/api/v1/m/${path}`)).body), path);
  }
  expectNoSecretIn(JSON.stringify((await client.get(`/api/v1/m/invoices/${shop.openInvoiceId}`)).body), 'invoice');
});

test('in no error, also when the secret is what was wrong', async () => {
  const { test: client, publishable } = shop.merchant;
  const of = (what: string) => shop.secrets.get(what)!;
  const replies = [
    await client.post('/api/v1/m/wallets', { wallet: { connection: shop.phoenixd.connection } }),
    await client.post('/api/v1/m/wallets', { wallet: { connection: `${shop.phoenixd.connection};type=lnd-rest` } }),
    await client.post('/api/v1/m/wallets', {
      wallet: { connection: of('wallet credential'), key: of('wallet credential') },
    }),
    await client.patch(`/api/v1/m/media_keys/${shop.mediaKeyId}`, {
      media_key: {
        browser_delivery: true,
        key: `${of('media key that was brought')}${of('media key that was brought')}`,
      },
    }),
    await client.post('/api/v1/m/access/verify', { access_token: `${of('access token')}0` }),
    await app.stranger.get(`/subscriptions/${of('customer’s link')}x`),
    await app.stranger.get(`/subscriptions/${of('customer’s link')}/)`),
    await publishable.post('/api/v1/pub/access/verify', { access_token: [of('access token')] }),
    await client.post('/api/v1/m/webhooks', { webhook: { url: of('webhook secret'), events: ['*'] } }),
    await app.stranger.post('/api/v1/m/sessions', { email: 'person@example.com', password: of('password') }),
    await app.stranger.post('/api/v1/m/sessions/activate', {
      session_token: of('session token'),
      merchant_id: of('session token'),
    }),
    await app.stranger.get('/api/v1/m/orders', { authorization: `Bearer ${of('API key')}x` }),
    await app.stranger.get('/api/v1/m/orders', { authorization: of('API key') }),
  ];
  for (const [index, { status, body, headers }] of replies.entries()) {
    expect(status, `call ${index}: ${JSON.stringify(body)}`).toBeGreaterThanOrEqual(400);
    expectNoSecretIn(JSON.stringify([body, headers]), `error ${index}, ${body.error?.message}`);
  }
});

// Last, when everything above has been logged.
test('in no line of the log', () => {
  expect(logged.length).toBeGreaterThan(20);
  expectNoSecretIn(logged.join('\n'), 'the log');
});
