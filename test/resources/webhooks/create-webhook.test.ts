import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { perform } from '../../../src/operation/perform.ts';
import { createWebhook as createWebhookOperation } from '../../../src/resources/webhooks/create-webhook.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { anId, expectError, expectInvalid } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { createWebhook } from '../../harness/webhooks.ts';

let app: TestApp;
beforeAll(async () => {
  // As a service that strangers can reach: nothing private is open.
  app = await openTestApp({ watch: false, allowPrivateNetworks: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/webhooks';
const body = (webhook: Record<string, unknown> = {}) => ({
  webhook: { url: 'https://shop.example/hook', events: ['order.paid'], ...webhook },
});

describeRefusals(() => app, {
  method: 'POST',
  path: () => path,
  body: () => body(),
  permission: 'webhooks:write',
  success: 201,
});

test('makes a webhook and shows its secret this once (case C044)', async () => {
  const { test: client } = await app.newMerchant();
  const reply = await client.post(path, body({ description: 'Shop', metadata: { shop: 7 } }));
  expect(reply.status).toBe(201);
  const { secret_key, ...webhook } = reply.body;
  expect(secret_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const now = app.clock.now().toISOString();
  expect(webhook).toEqual({
    object: 'webhook',
    livemode: false,
    id: anId(),
    url: 'https://shop.example/hook',
    description: 'Shop',
    events: ['order.paid'],
    active: true,
    success_count: 0,
    failure_count: 0,
    last_triggered_at: null,
    health_percentage: 100,
    metadata: { shop: 7 },
    created_at: now,
    updated_at: now,
  });
  expect((await client.get(`${path}/${webhook.id}`)).body).toEqual(webhook);
  expect((await client.get(path)).body.data).toEqual([webhook]);
  expect((await client.patch(`${path}/${webhook.id}`, { webhook: {} })).body).not.toHaveProperty('secret_key');
});

test('keeps the secret sealed: the database alone gives it away to nobody', async () => {
  const { test: client } = await app.newMerchant();
  const webhook = await createWebhook(client, 'https://shop.example/hook');
  const [row] = await app.rows<{ text: string }>('select webhooks::text as text from webhooks where id = $1', [
    webhook.id,
  ]);
  const key = Buffer.from(webhook.secret_key.slice('whsec_'.length), 'base64');
  expect(row!.text).not.toContain(key.toString('hex'));
  expect(row!.text).not.toContain(Buffer.from(webhook.secret_key).toString('hex'));
});

test('answers the same secret again to the same idempotency key, and makes one', async () => {
  const { test: client } = await app.newMerchant();
  const call = () => client.post(path, body(), { 'idempotency-key': 'one' });
  const [first, second] = [await call(), await call()];
  expect(second.body).toEqual(first.body);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect((await client.get(path)).body.meta.total_count).toBe(1);
});

describe('events', () => {
  test('that are the same collapse, all is a word, and every kind there is can be named (case C050)', async () => {
    const { test: client } = await app.newMerchant();
    const { available_events: kinds } = (await client.get(path)).body;
    expect(kinds).toHaveLength(24);
    expect((await createWebhook(client, 'https://a.example', { events: kinds })).events).toEqual(kinds);
    const twice = ['order.paid', 'order.created', 'order.paid'];
    expect((await createWebhook(client, 'https://a.example', { events: twice })).events).toEqual([
      'order.paid',
      'order.created',
    ]);
    expect((await createWebhook(client, 'https://a.example', { events: ['*'] })).events).toEqual(['*']);
  });

  test('that are unknown are named; none, too many and other types are refused (case C086)', async () => {
    const { test: client } = await app.newMerchant();
    const refused: [unknown, string | RegExp][] = [
      [['order.paid', 'order.eaten', 'Order.Paid'], 'events has unknown kinds: order.eaten, Order.Paid'],
      [[], 'events must not be empty'],
      [undefined, 'events is required'],
      [null, 'events is required'],
      ['order.paid', 'events must be a list'],
      [[1], 'events[0] must be text'],
      [new Array(10_000).fill('order.paid'), 'events must have at most 200 entries'],
    ];
    for (const [events, detail] of refused) expectInvalid(await client.post(path, body({ events })), detail);
    expect((await client.get(path)).body.meta.total_count).toBe(0);
  });
});

test('an assistant that names no events means all of them', async () => {
  const { id: merchantId, test: client } = await app.newMerchant();
  const caller = await app.parts.authenticator.authenticate(`Bearer ${client.key}`, '127.0.0.1');
  const visit = { caller, source: 'mcp' as const, requestId: 'req_1', log: app.parts.log, signal: app.parts.stopping };
  const input = { params: {}, query: {}, body: { webhook: { url: 'https://shop.example' } } };
  const answer = await perform(createWebhookOperation, app.parts, visit, input);
  expect(JSON.parse(answer.body as string)).toMatchObject({ events: ['*'] });
  expect(await app.rows('select from webhooks where merchant_id = $1', [merchantId])).toHaveLength(1);
});

describe('the address', () => {
  const notPublic = 'url leads to an address that is not allowed';

  test('must be absolute http(s) without credentials or blanks (case C056)', async () => {
    const merchant = await app.newMerchant();
    const refused: [unknown, string][] = [
      ['', 'url must be absolute and start with http:// or https://'],
      ['example.com/x', 'url must be absolute and start with http:// or https://'],
      ['ftp://h/x', 'url must be absolute and start with http:// or https://'],
      [' https://h/x ', 'url must be absolute and start with http:// or https://'],
      ['https://h/\n', 'url must be absolute and start with http:// or https://'],
      ['https://user:swordfish@h/x', 'url must not contain a user name or password'],
      [`https://h/${'x'.repeat(5000)}`, 'url is longer than 2048 characters'],
      [7, 'url must be text'],
      [undefined, 'url is required'],
    ];
    for (const [url, detail] of refused) {
      const reply = await merchant.test.post(path, body({ url }));
      expectInvalid(reply, detail);
      expect(JSON.stringify(reply.body)).not.toContain('swordfish');
    }
    expect((await merchant.test.get(path)).body.meta.total_count).toBe(0);
  });

  test('must not name this machine or its network, however it is spelt, in either mode (case C052)', async () => {
    const merchant = await app.newMerchant();
    for (const host of [
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[::1]',
      '0x7f000001',
      '2130706433',
      '127.1',
      'localhost.',
      'LOCALHOST',
      'a.localhost',
      '10.0.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
      '224.0.0.1',
      '[fe80::1]',
      '[fd00::1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
    ]) {
      expectInvalid(await merchant.live.post(path, body({ url: `https://${host}/` })), notPublic);
      expectInvalid(await merchant.test.post(path, body({ url: `http://${host}/` })), notPublic);
    }
    expect(await app.rows('select from webhooks where merchant_id = $1', [merchant.id])).toHaveLength(0);
  });

  test('must be https in live mode', async () => {
    const merchant = await app.newMerchant();
    expectInvalid(await merchant.live.post(path, body({ url: 'http://h.example/' })), 'url must start with https://');
    expect((await createWebhook(merchant.test, 'http://h.example/')).url).toBe('http://h.example/');
    expect((await createWebhook(merchant.live, 'https://h.example:8443/a?b=c')).livemode).toBe(true);
  });

  test('may be on this machine in test mode once private networks are open, never in live mode', async () => {
    const open = await openTestApp({ watch: false });
    const merchant = await open.newMerchant();
    await createWebhook(merchant.test, 'http://localhost:4000/hook');
    expectInvalid(await merchant.test.post(path, body({ url: 'http://169.254.169.254/' })), notPublic);
    expectInvalid(await merchant.live.post(path, body({ url: 'https://[::1]/' })), notPublic);
    await open.close();
  });
});

test('types are strict, unknown and server-owned members ignored', async () => {
  const { test: client } = await app.newMerchant();
  expectInvalid(await client.post(path, {}), 'webhook is required');
  expectInvalid(await client.post(path, body({ description: 7 })), 'description must be text');
  const webhook = await createWebhook(client, 'https://h.example', {
    id: 'x',
    livemode: true,
    success_count: 5,
    secret_key: 'whsec_mine',
    surprise: 1,
  });
  expect(webhook).toMatchObject({ id: anId(), livemode: false, success_count: 0 });
  expect(webhook.secret_key).not.toBe('whsec_mine');
  expect(webhook).not.toHaveProperty('surprise');
});

test('there are at most 100 of a merchant and mode', async () => {
  const merchant = await app.newMerchant();
  await createWebhook(merchant.test, 'https://h.example');
  await app.rows(
    `insert into webhooks (id, merchant_id, livemode, url, events, secret, created_at, updated_at)
     select gen_random_uuid(), merchant_id, livemode, url, events, secret, created_at, updated_at
       from webhooks, generate_series(1, 99) where merchant_id = $1`,
    [merchant.id],
  );
  expectInvalid(await merchant.test.post(path, body()), 'there can be at most 100 webhooks; delete one first');
  await createWebhook(merchant.live, 'https://h.example');

  await app.rows(
    'delete from webhooks where id in (select id from webhooks where merchant_id = $1 and not livemode limit 2)',
    [merchant.id],
  );
  const replies = await Promise.all(Array.from({ length: 8 }, () => merchant.test.post(path, body())));
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
  expectError(await merchant.test.post(path, '', { 'content-type': 'text/plain' }), 'unsupported_media_type');
});
