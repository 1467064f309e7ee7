import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { claimDueInvoices } from '../../src/store/invoice-watch.ts';
import { setMerchantStatus } from '../../src/store/merchants.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { createOrder, createOrderWithInvoice } from '../harness/orders.ts';
import { type Received, Receiver } from '../harness/receiver.ts';
import { createWebhook } from '../harness/webhooks.ts';

let app: TestApp;
let client: Client;
let receiver: Receiver;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ test: client } = await app.newMerchant());
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const deliveriesOf = async (webhook: { id: string }, query = '') =>
  (await client.get(`/api/v1/m/webhooks/${webhook.id}/deliveries${query}`)).body;
const show = async (webhook: { id: string }) => (await client.get(`/api/v1/m/webhooks/${webhook.id}`)).body;

function hasServiceSignature({ headers, body }: Received, secret: string): boolean {
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  return headers['x-service-signature'] === expected;
}

function standardSignature({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

describe('what arrives', () => {
  test('is the event as it was committed, under both signatures', async () => {
    const webhook = await createWebhook(client, receiver.url);
    const order = await createOrder(client);
    expect(await app.deliverDue()).toBe(1);

    const [hit] = receiver.received;
    expect(hit!.event).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/),
      event: 'order.created',
      created_at: app.clock.now().toISOString(),
      livemode: false,
      data: order,
    });
    expect(hit!.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(hasServiceSignature(hit!, webhook.secret_key)).toBe(true);
    expect(hit!.headers['webhook-id']).toBe(hit!.event.id);
    expect(hit!.headers['webhook-timestamp']).toBe(String(Math.floor(app.clock.now().getTime() / 1000)));
    expect(hit!.headers['webhook-signature']).toBe(standardSignature(hit!, webhook.secret_key));
  });

  test('is signed byte by byte, whatever the text, on every try (case C042)', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    receiver.answerWith(500, 200);
    const note = '☕ \u2028 é \u001B <b>&</b> \u202e 𝕊 \\u0000';
    const order = await createOrder(client, { metadata: { note } });
    await app.deliverDue();
    app.clock.advanceSeconds(60);
    await app.deliverDue();

    const [first, second] = receiver.received;
    expect(receiver.received).toHaveLength(2);
    expect(second!.body.equals(first!.body)).toBe(true);
    expect(second!.event.data.metadata.note).toBe(note);
    expect(second!.event.data).toEqual(order);
    for (const hit of receiver.received) {
      expect(hasServiceSignature(hit, webhook.secret_key)).toBe(true);
      expect(hit.headers['webhook-signature']).toBe(standardSignature(hit, webhook.secret_key));
    }
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(Number(second!.headers['webhook-timestamp']) - Number(first!.headers['webhook-timestamp'])).toBe(60);
  });

  test('comes for a payment that nobody looked at, once (case C048)', async () => {
    await createWebhook(client, receiver.url);
    const order = await createOrderWithInvoice(client);
    await client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    await app.deliverDue();
    expect(receiver.kinds().sort()).toEqual([
      'invoice.created',
      'invoice.paid',
      'order.created',
      'order.paid',
      'payment.confirmed',
      'payment.received',
    ]);
    await client.get(`/api/v1/m/orders/${order.id}`);
    await client.get(`/api/v1/m/invoices/${order.invoice.id}/status`);
    expect(await app.deliverDue()).toBe(0);
  });

  test('comes while the merchant is suspended: its open invoices are watched on', async () => {
    const shop = await app.newMerchant();
    await createWebhook(shop.test, receiver.url, { events: ['payment.confirmed'] });
    const { invoice } = await createOrderWithInvoice(shop.test);
    await shop.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`, { after_seconds: 5 });
    await setMerchantStatus(app.parts.db, shop.id, 'suspended', app.clock.now());
    app.clock.advanceSeconds(6);
    const due = { now: app.clock.now(), limit: 100, leaseSeconds: 20, busyWalletIds: [] };
    const claimed = (await claimDueInvoices(app.parts.db, due)).find(({ id }) => id === invoice.id);
    await lookUpInvoice(app.parts, claimed!, app.parts.stopping);
    await app.deliverDue();
    expect(receiver.received.map(({ event }) => event.data.invoice_id)).toEqual([invoice.id]);
  });

  test('is only what was subscribed to, in the mode of the endpoint and of nobody else', async () => {
    const merchant = await app.newMerchant();
    const stranger = await app.newMerchant();
    await createWebhook(merchant.test, receiver.url, { events: ['order.cancelled'] });
    await createWebhook(stranger.test, `${receiver.url}/stranger`);
    await createWebhook(merchant.live, 'https://live.example/hook');
    const order = await createOrder(merchant.test);
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);
    await app.deliverDue();
    expect(receiver.kinds()).toEqual(['order.cancelled']);
    const rows = await app.rows('select from deliveries d join webhooks w on w.id = d.webhook_id where w.livemode');
    expect(rows).toHaveLength(0);
  });

  test('may be out of order after a retry, so each body is whole in itself (case C045)', async () => {
    await createWebhook(client, receiver.url, { events: ['order.created', 'payment.confirmed'] });
    let refusals = 1;
    receiver.answer = (response, { event }) => {
      const refuse = event.event === 'order.created' && refusals-- > 0;
      response.writeHead(refuse ? 500 : 200).end();
    };
    const order = await createOrderWithInvoice(client);
    const payment = (await client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`)).body;
    await app.deliverDue();
    app.clock.advanceSeconds(60);
    await app.deliverDue();
    expect(receiver.kinds().at(-1)).toBe('order.created');
    const paid = receiver.received.find(({ event }) => event.event === 'payment.confirmed')!;
    expect((await client.get(`/api/v1/m/payments/${payment.id}`)).body).toMatchObject(paid.event.data);
  });
});

describe('the schedule', () => {
  test('tries after exactly 60, 300, 1800 and 7200 s, then no more', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    receiver.answerWith(503);
    await createOrder(client);
    expect(await app.deliverDue()).toBe(1);
    for (const seconds of [60, 300, 1800, 7200]) {
      const next = new Date(app.clock.now().getTime() + seconds * 1000);
      expect((await deliveriesOf(webhook)).data[0].next_attempt_at).toBe(next.toISOString());
      app.clock.advanceSeconds(seconds - 0.001);
      expect(await app.deliverDue()).toBe(0);
      app.clock.set(next);
      expect(await app.deliverDue()).toBe(1);
    }
    expect((await deliveriesOf(webhook)).data[0]).toMatchObject({
      status: 'failed',
      attempts: 5,
      next_attempt_at: null,
      response_status: 503,
      error: 'The endpoint answered 503.',
      delivered_at: null,
    });
    app.clock.advanceSeconds(30 * 24 * 3600);
    expect(await app.deliverDue()).toBe(0);
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
  });

  test('takes any 2xx for success and everything else for a failure, redirects unfollowed (case C046)', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    const outcomes: [number, string][] = [
      [201, 'delivered'],
      [204, 'delivered'],
      [302, 'waiting'],
      [410, 'waiting'],
      [429, 'waiting'],
      [304, 'waiting'],
    ];
    for (const [status, state] of outcomes) {
      receiver.answer = (response) =>
        response.writeHead(status, { location: `${receiver.url}/elsewhere`, 'retry-after': '120' }).end();
      await createOrder(client);
      expect(await app.deliverDue()).toBe(1);
      const { data } = await deliveriesOf(webhook);
      expect(data[0]).toMatchObject({ status: state, response_status: status, attempts: 1 });
    }
    expect(receiver.received.every(({ path }) => path === '/hook')).toBe(true);
    expect(await show(webhook)).toMatchObject({ success_count: 2, failure_count: 4, health_percentage: 33 });
  });

  test('counts attempts, and health over the last 100', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    expect(await show(webhook)).toMatchObject({ health_percentage: 100, last_triggered_at: null });
    receiver.answerWith(500, 200);
    await createOrder(client);
    await app.deliverDue();
    expect(await show(webhook)).toMatchObject({ success_count: 0, failure_count: 1, health_percentage: 0 });
    app.clock.advanceSeconds(60);
    await app.deliverDue();
    expect(await show(webhook)).toMatchObject({
      success_count: 1,
      failure_count: 1,
      health_percentage: 50,
      last_triggered_at: app.clock.now().toISOString(),
    });
    for (let n = 0; n < 98; n += 1) await createOrder(client);
    await app.deliverDue();
    expect(await show(webhook)).toMatchObject({ success_count: 99, failure_count: 1, health_percentage: 99 });
    await createOrder(client);
    await app.deliverDue();
    expect(await show(webhook)).toMatchObject({ success_count: 100, failure_count: 1, health_percentage: 100 });
  });
});

describe('endpoints that misbehave', () => {
  test('a refused connection and a broken answer are failures with a sentence', async () => {
    const dead = await Receiver.open();
    await dead.close();
    const webhook = await createWebhook(client, dead.url, { events: ['order.created'] });
    await createOrder(client);
    await app.deliverDue();
    const [delivery] = (await deliveriesOf(webhook)).data;
    expect(delivery).toMatchObject({
      status: 'waiting',
      response_status: null,
      error: `127.0.0.1:${dead.port} does not accept connections.`,
    });
  });

  test('a success whose body never ends is a success', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    receiver.answer = (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(1000)), 5);
      response.on('close', () => clearInterval(timer));
    };
    await createOrder(client);
    await app.deliverDue();
    expect((await deliveriesOf(webhook)).data[0]).toMatchObject({ status: 'delivered', response_status: 200 });
  });

  test('what a private address answers is not shown', async () => {
    const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
    receiver.answer = (response) => response.writeHead(500).end('root:x:0:0');
    await createOrder(client);
    await app.deliverDue();
    const { data } = await deliveriesOf(webhook);
    expect(data[0]).toMatchObject({ response_status: 500, response_excerpt: null });
    expect(JSON.stringify(data)).not.toContain('root');
  });

  test('nothing goes to an endpoint that is switched off or gone', async () => {
    const off = await createWebhook(client, receiver.url, { events: ['order.created'] });
    const gone = await createWebhook(client, `${receiver.url}/gone`, { events: ['order.created'] });
    await createOrder(client);
    await client.patch(`/api/v1/m/webhooks/${off.id}`, { webhook: { active: false } });
    expect((await client.delete(`/api/v1/m/webhooks/${gone.id}`)).status).toBe(204);
    await createOrder(client);
    expect(await app.deliverDue()).toBe(0);
    await client.patch(`/api/v1/m/webhooks/${off.id}`, { webhook: { active: true } });
    expect(await app.deliverDue()).toBe(1);
  });
});

test('after a rotation both secrets sign for 24 hours', async () => {
  const webhook = await createWebhook(client, receiver.url, { events: ['order.created'] });
  const rotate = (body?: object) => client.post(`/api/v1/m/webhooks/${webhook.id}/rotate_secret`, body);
  const rotated = await rotate();
  expect(rotated.status).toBe(200);
  expect(rotated.body.secret_key).not.toBe(webhook.secret_key);
  const until = new Date(app.clock.now().getTime() + 24 * 3600 * 1000).toISOString();
  expect(rotated.body.previous_secret_expires_at).toBe(until);

  await createOrder(client);
  await app.deliverDue();
  const [during] = receiver.received;
  expect(during!.headers['webhook-signature']).toBe(
    `${standardSignature(during!, rotated.body.secret_key)} ${standardSignature(during!, webhook.secret_key)}`,
  );
  expect(hasServiceSignature(during!, rotated.body.secret_key)).toBe(true);
  expect(during!.headers['x-service-signature-previous']).toBe(
    `sha256=${createHmac('sha256', webhook.secret_key).update(during!.body).digest('hex')}`,
  );
  expect((await rotate()).status).toBe(409);

  app.clock.set(new Date(until));
  await createOrder(client);
  await app.deliverDue();
  const after = receiver.received[1]!;
  expect(after.headers['webhook-signature']).toBe(standardSignature(after, rotated.body.secret_key));
  expect(after.headers['x-service-signature-previous']).toBeUndefined();

  const again = await rotate();
  expect(again.status).toBe(200);
  const leaked = await rotate({ overlap_seconds: 0 });
  expect(leaked.body.previous_secret_expires_at).toBeNull();
  await createOrder(client);
  await app.deliverDue();
  const last = receiver.received[2]!;
  expect(last.headers['webhook-signature']).toBe(standardSignature(last, leaked.body.secret_key));
});
