import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { followEvents } from '../../../src/flows/follow-events.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { countEnded, EventStream, listen } from '../../harness/event-stream.ts';
import { expectError, expectInvalid } from '../../harness/expect.ts';
import { createOrder } from '../../harness/orders.ts';
import { Gate, holdReads } from '../../harness/pause.ts';
import { until } from '../../harness/until.ts';

let app: TestApp;
let url: string;
const open: EventStream[] = [];
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  url = `${await listen(app)}/api/v1/m/events/stream`;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((stream) => stream.close()));
});
afterAll(() => app.close());

async function follow(client: { key: string | undefined }, query = '', headers = {}): Promise<EventStream> {
  const stream = await EventStream.open(`${url}${query}`, client.key!, headers);
  open.push(stream);
  return stream;
}

const storedBody = async (id: string) =>
  (await app.rows<{ body: string }>('select body from events where id = $1', [id]))[0]!.body;

describe('a stream', () => {
  test('tells events as they happen, in the very bytes of the webhooks', async () => {
    const merchant = await app.newMerchant();
    await createOrder(merchant.test);
    const stream = await follow(merchant.test);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');

    const order = await createOrder(merchant.test, { metadata: { note: 'a\nb\r\u2028c\u0085' } });
    const [message] = await stream.wait(1);
    expect(message!.event).toBe('order.created');
    expect(JSON.parse(message!.data)).toMatchObject({ id: message!.id, event: 'order.created', data: order });
    expect(message!.data).toBe(await storedBody(message!.id));

    await createOrder((await app.newMerchant()).test);
    await createOrder(merchant.live);
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);
    expect((await stream.wait(2))[1]!.event).toBe('order.cancelled');
    expect(stream.messages).toHaveLength(2);
  });

  test('goes on without a gap behind Last-Event-ID, also when it had said nothing yet', async () => {
    const merchant = await app.newMerchant();
    const first = await follow(merchant.test);
    await until(() => first.lastEventId !== '');
    await first.close();
    await createOrder(merchant.test);
    await createOrder(merchant.test);

    const second = await follow(merchant.test, '', { 'last-event-id': first.lastEventId });
    await second.wait(2);
    await second.close();
    await createOrder(merchant.test);
    const third = await follow(merchant.test, '?after=', { 'last-event-id': second.messages[0]!.id });
    await third.wait(2);
    expect(third.messages[0]).toEqual(second.messages[1]);
    expect(third.messages).toHaveLength(2);
  });

  test('begins now where Last-Event-ID is empty, as if it had not been sent', async () => {
    const merchant = await app.newMerchant();
    await createOrder(merchant.test);
    const now = await follow(merchant.test, '', { 'last-event-id': '' });
    await until(() => now.lastEventId !== '');
    const order = await createOrder(merchant.test);
    expect(JSON.parse((await now.wait(1))[0]!.data).data.id).toBe(order.id);
  });

  test('begins anywhere with after, and tells only the types asked for', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrder(merchant.test);
    await merchant.test.delete(`/api/v1/m/orders/${order.id}`);
    const all = await follow(merchant.test, '?after=');
    expect((await all.wait(2)).map(({ event }) => event)).toEqual(['order.created', 'order.cancelled']);
    const some = await follow(merchant.test, '?after=&q[type_eq]=order.cancelled');
    expect((await some.wait(1))[0]!.event).toBe('order.cancelled');
  });

  test('ends when its key is revoked, before it tells anything more', async () => {
    const merchant = await app.newMerchant();
    const stream = await follow(merchant.test);
    await app.rows('update api_keys set revoked_at = $2 where id = $1', [merchant.test.id, app.clock.now()]);
    // What was found of the key is trusted for a second.
    app.parts.authenticator.forget();
    await createOrder(merchant.live);
    await createOrder((await otherKey(merchant)).test);
    await stream.ended;
    expect(stream.messages).toEqual([]);
  });

  test('sends a comment and its position while nothing happens', async () => {
    const merchant = await app.newMerchant();
    const gone = new AbortController();
    const scope = { merchantId: merchant.id, livemode: false };
    const pace = { pollMillis: 1000, heartbeatMillis: 20 };
    const followed = followEvents(app.parts.db, scope, { xid: '0', seq: 0 }, [], gone.signal, pace);
    const { value } = await followed.next();
    expect(value).toMatchObject({ rows: [], position: { seq: 0 } });
    gone.abort();
    expect((await followed.next()).done).toBe(true);
  });
});

describe('refuses', () => {
  test('keys and cursors as the list does, before it begins', async () => {
    const merchant = await app.newMerchant();
    const path = '/api/v1/m/events/stream';
    expectError(await app.stranger.get(path), 'missing_token');
    expectError(await merchant.publishable.get(path), 'forbidden');
    expectError(await (await merchant.narrowed('orders:read')).get(path), 'forbidden');
    expectInvalid(await merchant.test.get(`${path}?after=evt_none`), /^after must be the id/);
    expectInvalid(await merchant.test.get(path, { 'last-event-id': 'evt_none' }), /^after must be the id/);
    expectInvalid(await merchant.test.get(`${path}?q[type_eq]=x`), /^q\[type_eq\] must be one of/);
  });

  test('more than 20 streams of a merchant, until one is closed', async () => {
    const merchant = await app.newMerchant();
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow(merchant.test)));
    expect(streams.every(({ status }) => status === 200)).toBe(true);
    expectError(await merchant.test.get('/api/v1/m/events/stream'), 'rate_limited');
    expect((await follow((await app.newMerchant()).test)).status).toBe(200);
    await streams[0]!.close();
    await until(async () => (await follow(merchant.test)).status === 200);
  });
});

test.each([
  [
    'its key is looked up',
    (gate: Gate) => {
      const { authenticate } = app.parts.authenticator;
      return vi.spyOn(app.parts.authenticator, 'authenticate').mockImplementation(async (...input) => {
        await gate.pass();
        return (await authenticate(...input))!;
      });
    },
  ],
  ['it is found out where events begin', (gate: Gate) => holdReads(app.parts.db, 'events_horizon', gate)],
])('a client that leaves while %s keeps no place', async (_when, hold) => {
  const merchant = await app.newMerchant();
  const gate = new Gate();
  const held = hold(gate);
  const ended = countEnded(app);
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${merchant.test.key}` };
  const gone = Array.from({ length: 20 }, () => fetch(url, { headers, signal: leaving.signal }).catch(() => {}));
  await until(() => gate.count === 20);
  leaving.abort();
  await Promise.all(gone);
  await until(() => ended() === 20);
  gate.goOn();
  held.mockRestore();
  // By then the others are through: the database answers in turn.
  await createOrder(merchant.test);
  expect((await follow(merchant.test)).status).toBe(200);
});

test('HEAD opens no stream', async () => {
  const merchant = await app.newMerchant();
  const response = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${merchant.test.key}` } });
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(response.headers.get('content-length')).toBeNull();
});

test('a server that stops ends its streams and is gone at once', async () => {
  const other = await openTestApp({ watch: false });
  const merchant = await other.newMerchant();
  const stream = await EventStream.open(`${await listen(other)}/api/v1/m/events/stream`, merchant.test.key!);
  await other.close();
  await stream.ended;
});

async function otherKey(merchant: TestMerchant) {
  return { test: await merchant.narrowed('orders:write', 'orders:read') };
}
