import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dynamicStatement, type Transaction } from '../../../src/db/database.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Reply } from '../../harness/client.ts';
import { onPostgres } from '../../harness/database.ts';
import { anId, expectError, expectInvalid } from '../../harness/expect.ts';
import { commitWhileWaiting } from '../../harness/interleave.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder } from '../../harness/orders.ts';
import { Receiver } from '../../harness/receiver.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { createWebhook } from '../../harness/webhooks.ts';

let app: TestApp;
let merchant: TestMerchant;
let receiver: Receiver;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  merchant = await app.newMerchant();
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const path = '/api/v1/m/webhooks';
const make = async ({ test }: TestMerchant) => (await createWebhook(test, 'https://shop.example')).id;
const makeLive = async ({ live }: TestMerchant) => (await createWebhook(live, 'https://shop.example')).id;
const list = async (id: string, query = '') => (await merchant.test.get(`${path}/${id}/deliveries${query}`)).body;

describe('the list', () => {
  describeRefusals(() => app, {
    method: 'GET',
    path: (id) => `${path}/${id}/deliveries`,
    permission: 'webhooks:read',
    resource: 'Webhook',
    make,
    makeLive,
  });

  test('shows each event with what became of it, newest first', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['order.created', 'order.cancelled'] });
    const order = await createOrder(merchant.test);
    await app.deliverDue();
    const deliveredAt = app.clock.now().toISOString();
    app.clock.advanceSeconds(5);
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);

    const { data, meta } = await list(webhook.id);
    expect(meta.total_count).toBe(2);
    const common = { object: 'webhook_delivery', livemode: false, id: anId(), webhook_id: webhook.id };
    expect(data[0]).toEqual({
      ...common,
      event_id: expect.stringMatching(/^evt_/),
      event: 'order.cancelled',
      status: 'waiting',
      attempts: 0,
      next_attempt_at: app.clock.now().toISOString(),
      last_attempt_at: null,
      response_status: null,
      response_excerpt: null,
      error: null,
      duration_ms: null,
      delivered_at: null,
      created_at: app.clock.now().toISOString(),
    });
    expect(data[1]).toEqual({
      ...common,
      event_id: receiver.received[0]!.event.id,
      event: 'order.created',
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      last_attempt_at: deliveredAt,
      response_status: 200,
      response_excerpt: null,
      error: null,
      duration_ms: expect.any(Number),
      delivered_at: deliveredAt,
      created_at: deliveredAt,
    });
    const one = await merchant.test.get(`${path}/${webhook.id}/deliveries/${data[1].id}`);
    expect(one.body).toEqual(data[1]);

    const ids = async (query: string) => (await list(webhook.id, query)).data.map((row: { id: string }) => row.id);
    expect(await ids('?q[status_eq]=waiting')).toEqual([data[0].id]);
    expect(await ids('?q[event_eq]=order.created')).toEqual([data[1].id]);
    expect(await ids(`?q[event_id_eq]=${data[1].event_id}`)).toEqual([data[1].id]);
    expect(await ids(`?q[created_at_lt]=${data[0].created_at}`)).toEqual([data[1].id]);
  });

  test('a delivery of another webhook is not found here', async () => {
    const [webhook, other] = [
      await createWebhook(merchant.test, receiver.url),
      await createWebhook(merchant.test, receiver.url),
    ];
    await createOrder(merchant.test);
    const { id } = (await list(other.id)).data[0];
    for (const reply of [
      await merchant.test.get(`${path}/${webhook.id}/deliveries/${id}`),
      await merchant.test.post(`${path}/${webhook.id}/deliveries/${id}/redeliver`),
      await merchant.test.get(`${path}/${webhook.id}/deliveries/none`),
    ]) {
      expectError(reply, 'not_found', { message: 'Delivery not found' });
    }
  });
});

describe('sending one again', () => {
  test('sends the same bytes under the same id, with a full set of tries', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['order.created'] });
    receiver.answerWith(500, 500, 500, 500, 500, 500, 200);
    await createOrder(merchant.test);
    await app.deliverDue();
    for (const seconds of [60, 300, 1800, 7200]) {
      app.clock.advanceSeconds(seconds);
      await app.deliverDue();
    }
    const [failed] = (await list(webhook.id)).data;
    expect(failed).toMatchObject({ status: 'failed', attempts: 5 });

    const redeliver = () => merchant.test.post(`${path}/${webhook.id}/deliveries/${failed.id}/redeliver`);
    const reply = await redeliver();
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id: failed.id,
      status: 'waiting',
      next_attempt_at: app.clock.now().toISOString(),
    });
    await app.deliverDue();
    expect((await list(webhook.id)).data[0]).toMatchObject({ status: 'waiting', attempts: 6 });
    app.clock.advanceSeconds(60);
    await app.deliverDue();
    expect((await list(webhook.id)).data[0]).toMatchObject({ status: 'delivered', attempts: 7 });

    await redeliver();
    await app.deliverDue();
    expect((await list(webhook.id)).data[0]).toMatchObject({ status: 'delivered', attempts: 8 });
    expect(new Set(receiver.received.map(({ body }) => `${body}`)).size).toBe(1);
  });

  test('is refused while the webhook is switched off', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    await createOrder(merchant.test);
    const { id } = (await list(webhook.id)).data[0];
    await merchant.test.patch(`${path}/${webhook.id}`, { webhook: { active: false } });
    const message = 'The webhook is not active; set active to true first';
    expectError(await merchant.test.post(`${path}/${webhook.id}/deliveries/${id}/redeliver`), 'conflict', { message });
    const since = { since: '2020-01-01' };
    expectError(await merchant.test.post(`${path}/${webhook.id}/redeliver`, since), 'conflict', { message });
  });
});

describe('sending all since a moment', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: (id) => `${path}/${id}/redeliver`,
    body: () => ({ since: '2020-01-01' }),
    permission: 'webhooks:write',
    resource: 'Webhook',
    make,
    makeLive,
  });

  test('takes what was sent, what failed and what was never queued, of the kinds subscribed to', async () => {
    const early = await createOrder(merchant.test);
    app.clock.advanceSeconds(60);
    const since = app.clock.now().toISOString();
    await createOrder(merchant.test);
    await merchant.test.delete(`/api/v1/m/orders/${early.id}`);
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['order.created'] });
    await createOrder(merchant.test);
    await app.deliverDue();
    expect(receiver.received).toHaveLength(1);

    const redeliver = (members: object) => merchant.test.post(`${path}/${webhook.id}/redeliver`, members);
    expect((await redeliver({ since })).body).toEqual({ object: 'webhook_redelivery', queued: 2, next_since: null });
    await app.deliverDue();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(2);

    expect((await redeliver({ since: '2020-01-01', only_missing: true })).body.queued).toBe(1);
    await app.deliverDue();
    expect(receiver.received.at(-1)!.event.data.id).toBe(early.id);
    expect((await redeliver({ since: '2020-01-01', only_missing: true })).body.queued).toBe(0);
  });

  test('says where to go on after 10,000', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['order.created'] });
    await app.rows(
      `insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at)
       select 'evt_many' || n, $1, false, 'order.created', $1, 'n' || n, '{}', $2::timestamptz + n * interval '1 ms'
         from generate_series(1, 10100) n`,
      [merchant.id, app.clock.now()],
    );
    const redeliver = async (since: string) =>
      (await merchant.test.post(`${path}/${webhook.id}/redeliver`, { since })).body;
    const first = await redeliver(app.clock.now().toISOString());
    expect(first.queued).toBe(10_000);
    expect(await redeliver(first.next_since)).toMatchObject({ queued: 100, next_since: null });
    expect((await list(webhook.id)).meta.total_count).toBe(10_100);
    await merchant.test.delete(`${path}/${webhook.id}`);
  });

  test('wants a time', async () => {
    const id = await make(merchant);
    const redeliver = (body?: object) => merchant.test.post(`${path}/${id}/redeliver`, body);
    const sentence = 'since must be an ISO 8601 time with Z or an offset, or a date';
    expectInvalid(await redeliver({ since: 'yesterday' }), sentence);
    expectInvalid(await redeliver({ since: '2027-02-30' }), sentence);
    expectInvalid(await redeliver({ since: 1 }), 'since must be text');
    expectInvalid(await redeliver(), 'since is required');
  });
});

describe('a test event', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: (id) => `${path}/${id}/test`,
    permission: 'webhooks:write',
    resource: 'Webhook',
    success: 201,
    make,
    makeLive,
  });

  test('is an example that says so, goes to this endpoint and shows up nowhere else', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['invoice.paid', 'order.paid'] });
    await createWebhook(merchant.test, `${receiver.url}/other`);
    const reply = await merchant.test.post(`${path}/${webhook.id}/test`);
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ object: 'webhook_delivery', status: 'waiting', event: 'order.paid' });
    await app.deliverDue();
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]!.path).toBe('/hook');
    expect(receiver.received[0]!.event).toMatchObject({
      id: reply.body.event_id,
      event: 'order.paid',
      livemode: false,
      test: true,
      data: { object: 'order', status: 'paid' },
    });
    expect((await merchant.test.get('/api/v1/m/events')).body.data).toEqual([]);
    expectError(await merchant.test.get(`/api/v1/m/events/${reply.body.event_id}`), 'not_found');
    expect((await list(webhook.id)).data[0]).toMatchObject({ id: reply.body.id, status: 'delivered' });
  });

  test('is no part of the books', async () => {
    // Tests above have put events into this one's database.
    const other = await openTestApp({ watch: false });
    const { test: client } = await other.newMerchant();
    const webhook = await createWebhook(client, receiver.url);
    for (const event of ['order.paid', 'order.created']) {
      expect((await client.post(`${path}/${webhook.id}/test`, { event })).status).toBe(201);
    }
    await expectLedgerToHold(other);
    await other.close();
  });

  test('can be of any kind that is subscribed to', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url, { events: ['invoice.paid', 'checkout.expired'] });
    const send = (event: unknown) => merchant.test.post(`${path}/${webhook.id}/test`, { event });
    expect((await send('invoice.paid')).status).toBe(201);
    expectInvalid(await send('order.paid'), 'event must be one that the webhook subscribes to; order.paid is not');
    expectInvalid(await send('order.eaten'), /^event must be one of order\.created, /);
  });

  test.skipIf(!onPostgres)('goes to nobody when the webhook is removed at the same moment', async () => {
    const { id } = await createWebhook(merchant.test, receiver.url);
    const remove = async (tx: Transaction) => {
      await tx.many(dynamicStatement('lock table deliveries in share mode'), []);
      await tx.many(dynamicStatement('delete from webhooks where id = $1'), [id]);
    };
    const [, sent] = await commitWhileWaiting(app, remove, () => merchant.test.post(`${path}/${id}/test`));
    expectError((sent as PromiseFulfilledResult<Reply>).value, 'not_found');
    expect(await app.rows('select id from events where webhook_id = $1', [id])).toEqual([]);
  });
});

describe('rotating the secret', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: (id) => `${path}/${id}/rotate_secret`,
    permission: 'webhooks:write',
    resource: 'Webhook',
    make,
    makeLive,
  });

  test('takes an overlap of 0 to 24 hours', async () => {
    const id = await make(merchant);
    const rotate = (overlap_seconds: unknown) => merchant.test.post(`${path}/${id}/rotate_secret`, { overlap_seconds });
    expectInvalid(await rotate(-1), 'overlap_seconds must be at least 0');
    expectInvalid(await rotate(86_401), 'overlap_seconds must be at most 86400');
    expectInvalid(await rotate('60'), 'overlap_seconds must be a whole number');
    expect((await rotate(60)).body.previous_secret_expires_at).toBe(
      new Date(app.clock.now().getTime() + 60_000).toISOString(),
    );
  });
});
