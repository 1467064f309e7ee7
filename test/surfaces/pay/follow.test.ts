import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '../../../src/app.ts';
import { type Logger, silentLog } from '../../../src/kernel/log.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import { countEnded, EventStream, listen } from '../../harness/event-stream.ts';
import { Gate, holdReads } from '../../harness/pause.ts';
import { until } from '../../harness/until.ts';
import { changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
let base: string;
let merchant: TestMerchant;
const streams: EventStream[] = [];
const info = vi.fn();
beforeAll(async () => {
  app = await openTestApp({ log: { ...silentLog, info } as Logger });
  base = await listen(app);
  merchant = await app.newMerchant();
});
afterEach(async () => {
  await Promise.all(streams.splice(0).map((stream) => stream.close()));
});
afterAll(() => app.close());

async function newToken(of: TestMerchant = merchant): Promise<string> {
  return (await of.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } })).body.token;
}
async function follow(token: string): Promise<EventStream> {
  const stream = await EventStream.open(`${base}/checkout/${token}/events`, 'nobody');
  streams.push(stream);
  return stream;
}
const dataOf = (stream: EventStream) => stream.messages.map(({ data }) => JSON.parse(data));
const statusOf = async (token: string) => (await app.stranger.get(`/checkout/${token}/status`)).body;

test('what the page shows comes at once, then what changes, and the end ends it', async () => {
  const token = await newToken();
  const stream = await follow(token);
  expect([stream.status, stream.headers.get('content-type'), stream.headers.get('x-accel-buffering')]).toEqual([
    200,
    'text/event-stream',
    'no',
  ]);
  const [first] = await stream.wait(1);
  expect([first!.event, JSON.parse(first!.data)]).toEqual(['status', await statusOf(token)]);
  await app.stranger.post(`/checkout/${token}/simulate_payment`);
  await stream.ended;
  expect(dataOf(stream)[1]).toEqual(await statusOf(token));
  expect(dataOf(stream).map(({ status }) => status)).toEqual(['pending', 'completed']);
});

test('one that is over already is told once', async () => {
  const token = await newToken();
  await app.stranger.post(`/checkout/${token}/simulate_payment`);
  const stream = await follow(token);
  await stream.ended;
  expect(dataOf(stream)).toHaveLength(1);
});

test('cancelling, expiring and a new invoice after a changed order are told', async () => {
  const [cancelled, expired, changed] = [await newToken(), await newToken(), await newToken()];
  const [a, b, c] = [await follow(cancelled), await follow(expired), await follow(changed)];
  await Promise.all([a.wait(1), b.wait(1), c.wait(1)]);
  const { order_id } = (await merchant.test.get(`/api/v1/checkout_sessions/${changed}`)).body;
  await merchant.test.patch(`/api/v1/m/orders/${order_id}`, { order: { total_amount_cents: 900 } });
  await c.wait(2);
  expect(dataOf(c)[1]).toMatchObject({ status: 'pending', amount_cents: 900 });
  expect(dataOf(c)[1].payment_request).not.toBe(dataOf(c)[0].payment_request);
  await merchant.test.post(`/api/v1/m/checkout_sessions/${cancelled}/cancel`);
  await a.ended;
  expect(dataOf(a).at(-1)).toEqual({ status: 'cancelled' });
  app.clock.advanceSeconds(901);
  await b.ended;
  expect(dataOf(b).at(-1)).toEqual({ status: 'expired' });
});

test('a wallet that comes back is no reason to open the page again', async () => {
  const shop = await app.newMerchant();
  const wallet = await testWalletId(app, shop);
  await changeWallet(app, wallet, { enabled: false });
  const token = await newToken(shop);
  const stream = await follow(token);
  await stream.wait(1);
  expect(dataOf(stream)[0]).toMatchObject({ status: 'pending', payable: false, payment_request: null });
  await changeWallet(app, wallet, { enabled: true });
  expect((await statusOf(token)).payment_request).toMatch(/^lnbcrt/);
  await stream.wait(2);
  expect(dataOf(stream)[1].payment_request).toMatch(/^lnbcrt/);
});

test('six follow one checkout; the seventh is asked to poll, until one leaves', async () => {
  const token = await newToken();
  const six = await Promise.all(Array.from({ length: 6 }, () => follow(token)));
  expect(six.map(({ status }) => status)).toEqual(Array(6).fill(200));
  const refused = await fetch(`${base}/checkout/${token}/events`);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await refused.json()).error.message).toContain('/status');
  // Not as an error: no fault of the service.
  const id = refused.headers.get('x-request-id');
  await until(async () => info.mock.calls.some(([{ request_id, status }]) => request_id === id && status === 503));
  await six[0]!.close();
  await until(async () => (await follow(token)).status === 200);
});

test('payers who follow take no place of a merchant’s own stream, nor the other way round', async () => {
  const shop = await app.newMerchant();
  const tokens = await Promise.all(Array.from({ length: 12 }, () => newToken(shop)));
  const payers = (await Promise.all(tokens.flatMap((token) => Array.from({ length: 5 }, () => follow(token))))).map(
    ({ status }) => status,
  );
  expect(payers).toEqual(Array(60).fill(200));
  const own = await EventStream.open(`${base}/api/v1/m/events/stream`, shop.test.key!);
  streams.push(own);
  expect(own.status).toBe(200);
  // Behind this address 60 are enough.
  expect((await fetch(`${base}/checkout/${await newToken()}/events`)).status).toBe(503);
});

test('the addresses of one IPv6 network count as one', async () => {
  const behindProxy = await buildApp(app.parts, { trustProxy: true });
  const address = await behindProxy.listen({ host: '127.0.0.1', port: 0 });
  const tokens = await Promise.all(Array.from({ length: 11 }, () => newToken()));
  const followFrom = async (index: number) => {
    const headers = { 'x-forwarded-for': `2001:db8:0:7::${index.toString(16)}` };
    const stream = await EventStream.open(`${address}/checkout/${tokens[index % 11]}/events`, 'nobody', headers);
    streams.push(stream);
    return stream.status;
  };
  const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => followFrom(index)));
  expect(statuses).toEqual(Array(60).fill(200));
  expect(await followFrom(60)).toBe(503);
  await behindProxy.close();
});

test('a payer who leaves before the stream begins keeps no place', async () => {
  const token = await newToken();
  await Promise.all(streams.splice(0).map((stream) => stream.close()));
  const ended = countEnded(app);
  for (let count = 0; count < 6; count++) {
    const gate = new Gate();
    const held = holdReads(app.parts.db, 'checkout_sessions_find_by_token', gate);
    const leaving = new AbortController();
    const gone = fetch(`${base}/checkout/${token}/events`, { signal: leaving.signal }).catch(() => {});
    await gate.reached;
    leaving.abort();
    await gone;
    await until(() => ended() > count);
    gate.goOn();
    held.mockRestore();
  }
  expect((await follow(token)).status).toBe(200);
});

test('following an unknown checkout is a 404, and HEAD opens nothing', async () => {
  expect((await fetch(`${base}/checkout/cs_unknownunknownunknown/events`)).status).toBe(404);
  const { slug } = await createProduct(merchant.test);
  const opened = await fetch(`${base}/pay/${slug}`, { method: 'POST', redirect: 'manual' });
  const token = opened.headers.get('location')!.split('/').at(-1)!;
  for (const part of ['/events', '/status', '/qr']) {
    expect((await fetch(`${base}/checkout/${token}${part}`, { method: 'HEAD' })).status).toBe(405);
  }
  const page = await fetch(`${base}/checkout/${token}`, { method: 'HEAD' });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect((await fetch(`${base}/checkout/cs_unknownunknownunknown`, { method: 'HEAD' })).status).toBe(404);
  const { order_id } = (await merchant.test.get(`/api/v1/checkout_sessions/${token}`)).body;
  expect(order_id).toBeNull();
});

test('a server that stops ends the streams of payers, and waits for no connection that nobody uses', async () => {
  const other = await openTestApp({ watch: false });
  const shop = await other.newMerchant();
  const { token } = (await shop.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 1 } })).body;
  const address = await listen(other);
  const stream = await EventStream.open(`${address}/checkout/${token}/events`, 'nobody');
  await stream.wait(1);
  // A browser's, in case it will need one.
  const unused = connect(Number(new URL(address).port), '127.0.0.1');
  await once(unused, 'connect');
  await other.close();
  await stream.ended;
  unused.destroy();
});
