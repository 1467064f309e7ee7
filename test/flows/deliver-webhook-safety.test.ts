import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliverDue } from '../../src/jobs/deliver-webhooks.ts';
import { OutboundError } from '../../src/kernel/outbound-error.ts';
import type { OutboundRequest, OutboundResponse } from '../../src/kernel/outbound-exchange.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { createOrder } from '../harness/orders.ts';
import { Receiver } from '../harness/receiver.ts';
import { createWebhook } from '../harness/webhooks.ts';

/** Where names lead in this test; changed between creation and delivery. */
const dns = new Map<string, readonly string[]>();
let app: TestApp;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
  app = await openTestApp({
    watch: false,
    allowPrivateNetworks: false,
    lookup: async (name) => dns.get(name) ?? [],
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ test: client } = await app.newMerchant());
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const latest = async (webhook: { id: string }) =>
  (await client.get(`/api/v1/m/webhooks/${webhook.id}/deliveries`)).body.data[0];

describe('an address is checked when the connection is opened (case C054)', () => {
  const refused = 'The URL leads to an address that is not allowed.';

  async function deliverTo(name: string): Promise<unknown> {
    const webhook = await createWebhook(client, `http://${name}:${receiver.port}/`, { events: ['order.created'] });
    await createOrder(client);
    expect(await app.deliverDue()).toBe(1);
    return latest(webhook);
  }

  test('a name that was public when the webhook was made and leads here now', async () => {
    dns.set('rebinding.example', ['93.184.216.34']);
    const webhook = await createWebhook(client, `http://rebinding.example:${receiver.port}/`);
    dns.set('rebinding.example', ['127.0.0.1']);
    await createOrder(client);
    await app.deliverDue();
    expect(await latest(webhook)).toMatchObject({
      status: 'waiting',
      attempts: 1,
      response_status: null,
      response_excerpt: null,
      error: refused,
    });
    expect(receiver.received).toEqual([]);
  });

  test('a name with a public and a private address', async () => {
    dns.set('mixed.example', ['93.184.216.34', '::1']);
    expect(await deliverTo('mixed.example')).toMatchObject({ status: 'waiting', error: refused });
  });

  test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '::ffff:127.0.0.1', 'fe80::1', 'fd00::1', '::'])(
    'a name that leads to %s',
    async (address) => {
      dns.set('private.example', [address]);
      expect(await deliverTo('private.example')).toMatchObject({ status: 'waiting', error: refused });
      expect(receiver.received).toEqual([]);
    },
  );

  test('an address that was allowed when it was saved and is not any more', async () => {
    const webhook = await createWebhook(client, 'https://shop.example/', { events: ['order.created'] });
    await app.rows('update webhooks set url = $2 where id = $1', [webhook.id, receiver.url]);
    await createOrder(client);
    await app.deliverDue();
    expect(await latest(webhook)).toMatchObject({ status: 'waiting', error: refused });
    expect(receiver.received).toEqual([]);
  });

  test('a name that nobody knows says only that', async () => {
    expect(await deliverTo('nowhere.example')).toMatchObject({
      error: `nowhere.example:${receiver.port} is not a known host name.`,
    });
  });
});

describe('what an endpoint says', () => {
  async function deliverWithAnswer(answer: Partial<OutboundResponse>): Promise<Record<string, unknown>> {
    const webhook = await createWebhook(client, 'https://shop.example/', { events: ['order.created'] });
    await createOrder(client);
    const request = async () => ({
      status: 500,
      headers: {},
      body: Buffer.alloc(0),
      address: '93.184.216.34',
      ...answer,
    });
    await deliverDue({ ...app.parts, endpoints: { ...app.parts.endpoints, request } });
    return latest(webhook);
  }

  test('is waited for ten seconds', async () => {
    const webhook = await createWebhook(client, 'https://slow.example/', { events: ['order.created'] });
    await createOrder(client);
    const waited: number[] = [];
    const request = async ({ timeoutMillis }: OutboundRequest): Promise<OutboundResponse> => {
      waited.push(timeoutMillis);
      throw new OutboundError('timeout', 'slow.example did not answer in time.');
    };
    await deliverDue({ ...app.parts, endpoints: { ...app.parts.endpoints, request } });
    expect(waited).toEqual([10_000]);
    expect(await latest(webhook)).toMatchObject({ status: 'waiting', error: 'slow.example did not answer in time.' });
  });

  test('is shown short, on one line and without characters that do something', async () => {
    const hostile = `<script>\r\n\tno\u0000\u001b[31m \u202egnp.exe \u200b${'𝕊'.repeat(2000)}`;
    const { response_excerpt } = await deliverWithAnswer({ body: Buffer.from(hostile) });
    expect(response_excerpt).toMatch(/^<script> no \[31m gnp\.exe 𝕊+$/u);
    expect([...(response_excerpt as string)]).toHaveLength(500);
  });

  test('is kept in any encoding', async () => {
    const { response_excerpt } = await deliverWithAnswer({ body: Buffer.from([0xff, 0x66, 0xc3, 0x00, 0x6f, 0xed]) });
    expect(response_excerpt).toBe('f o');
    expect((await deliverWithAnswer({ body: Buffer.from(' \n ') })).response_excerpt).toBeNull();
  });

  test('is not shown when it came from a private address', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:10.0.0.1', '']) {
      expect(await deliverWithAnswer({ address, body: Buffer.from('secret') })).toMatchObject({
        response_status: 500,
        response_excerpt: null,
      });
    }
  });
});

test('a secret that does not open is a failed attempt, not a loop', async () => {
  const webhook = await createWebhook(client, 'https://shop.example/', { events: ['order.created'] });
  await app.rows(`update webhooks set secret = '\\x00'::bytea where id = $1`, [webhook.id]);
  await createOrder(client);
  expect(await app.deliverDue()).toBe(1);
  expect(await latest(webhook)).toMatchObject({
    status: 'waiting',
    attempts: 1,
    error: 'The delivery could not be sent; the log of the service says why.',
  });
});
