import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { honestBehaviour } from './address-behaviour.ts';
import { readInvoice } from './invoices.ts';
import { type LightningAddressServer, startLightningAddressServer } from './lightning-address-server.ts';
import { type Rig, startRig } from './network.ts';

let rig: Rig;
let server: LightningAddressServer;

beforeAll(async () => {
  rig = await startRig();
  server = await startLightningAddressServer(rig.merchant, { user: 'shop' });
}, 30_000);

afterEach(() => {
  Object.assign(server.behaviour, honestBehaviour());
});

afterAll(async () => {
  await server.stop();
  await rig.stop();
});

interface Answer {
  status?: string;
  reason?: string;
  callback: string;
  metadata: string;
  minSendable: number;
  maxSendable: number;
  pr: string;
  verify?: string;
  settled: boolean;
  preimage: string | null;
}

async function get(url: string | undefined): Promise<Answer> {
  expect(url).toBeDefined();
  const response = await fetch(url as string);
  return (await response.json()) as Answer;
}

/** What a payer's wallet does with an address: look it up, then ask for an invoice. */
async function askFor(amountMsat: bigint, extra: Record<string, string> = {}): Promise<Answer> {
  const [user, host] = server.address.split('@');
  const { callback } = await get(`http://${host}/.well-known/lnurlp/${user}`);
  const url = new URL(callback);
  url.searchParams.set('amount', String(amountMsat));
  for (const [name, value] of Object.entries(extra)) url.searchParams.set(name, value);
  return get(url.href);
}

test('from the address to the proof of payment', async () => {
  const { metadata, minSendable, maxSendable } = await get(`${server.origin}/.well-known/lnurlp/shop`);
  expect([minSendable, maxSendable]).toEqual([1_000, 10_000_000_000]);
  const { pr, verify } = await askFor(42_000n, { comment: 'Order 7' });
  const invoice = readInvoice(pr);
  expect(invoice?.amountMsat).toBe(42_000n);
  expect(invoice?.expirySeconds).toBe(900);
  expect(Math.abs(Date.now() - invoice!.createdAt.getTime())).toBeLessThan(5_000);
  expect(invoice?.commitsTo(createHash('sha256').update(metadata).digest('hex'))).toBe(true);
  expect(invoice?.commitsTo('00'.repeat(32))).toBe(false);
  expect(await get(verify)).toEqual({ status: 'OK', settled: false, preimage: null, pr });

  const { preimage } = await rig.payer.pay(pr);
  expect(await get(verify)).toEqual({ status: 'OK', settled: true, preimage, pr });
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(invoice?.paymentHash);
  expect(server.issued.at(-1)).toMatchObject({ bolt11: pr, askedMsat: 42_000n, comment: 'Order 7' });
});

test('requests are counted by path, and the IP address serves too', async () => {
  const [lookups, all] = [server.requestCount('/.well-known/'), server.requestCount()];
  const { callback } = await get(`http://127.0.0.1:${server.port}/.well-known/lnurlp/shop`);
  expect(callback).toBe(`http://127.0.0.1:${server.port}/callback/shop`);
  expect(server.requestCount('/.well-known/')).toBe(lookups + 1);
  expect(server.requestCount()).toBe(all + 1);
});

test('refusals come as LNURL errors', async () => {
  Object.assign(server.behaviour, { minSendableMsat: 2_000n, maxSendableMsat: 3_000n, callbackQuery: 'token=abc' });
  const refused = { status: 'ERROR' };
  expect(await askFor(1_000n)).toMatchObject(refused);
  expect(await askFor(4_000n)).toMatchObject(refused);
  expect(await askFor(2_000n, { comment: 'x'.repeat(141) })).toMatchObject(refused);
  expect(await askFor(2_000n)).toMatchObject({ status: 'OK' });
  expect(await get(`${server.origin}/callback/shop?amount=2000`)).toMatchObject(refused);
  expect(await get(`${server.origin}/callback/shop?token=abc`)).toMatchObject(refused);
  expect(await get(`${server.origin}/verify/${'0'.repeat(64)}`)).toEqual({ status: 'ERROR', reason: 'Not found' });
  const unknown = await fetch(`${server.origin}/.well-known/lnurlp/nobody`);
  expect(unknown.status).toBe(404);
});

test('verify can be missing, and can turn an expired invoice into an error', async () => {
  server.behaviour.verify = false;
  expect((await askFor(2_000n)).verify).toBeUndefined();
  Object.assign(server.behaviour, { verify: true, expirySeconds: 0, expiredIsError: true });
  const { pr, verify } = await askFor(2_000n);
  expect(await get(verify)).toEqual({ status: 'ERROR', reason: 'Invoice expired.' });
  const { preimage } = await rig.payer.pay(pr);
  expect(await get(verify)).toMatchObject({ settled: true, preimage });
});

test('it lies on demand', async () => {
  server.behaviour.lies = { amountMsat: 250_000_000n };
  expect(readInvoice((await askFor(21_000n)).pr)?.amountMsat).toBe(250_000_000n);
  server.behaviour.lies = { amountMsat: null };
  expect(readInvoice((await askFor(21_000n)).pr)?.amountMsat).toBeNull();
  server.behaviour.lies = {};
  const { pr, verify } = await askFor(21_000n);
  server.behaviour.lies = { settled: true, preimage: 'ab'.repeat(32), verifyBolt11: 'lnbcrt1other' };
  expect(await get(verify)).toEqual({
    status: 'OK',
    settled: true,
    preimage: 'ab'.repeat(32),
    pr: 'lnbcrt1other',
  });
  server.behaviour.lies = { settled: false, preimage: null };
  await rig.payer.pay(pr);
  expect(await get(verify)).toMatchObject({ settled: false, preimage: null });
});

test('it can be slow, hang, cut the line, or answer something else entirely', async () => {
  const url = `${server.origin}/.well-known/lnurlp/shop`;
  server.behaviour.delayMs = 60;
  const begun = performance.now();
  await get(url);
  expect(performance.now() - begun).toBeGreaterThan(50);

  server.behaviour.outage = 'hang';
  await expect(fetch(url, { signal: AbortSignal.timeout(60) })).rejects.toThrow(/timeout/i);
  server.behaviour.outage = 'drop';
  await expect(fetch(url)).rejects.toThrow('fetch failed');

  server.behaviour.outage = 'none';
  server.behaviour.answer = () => ({ status: 302, headers: { location: 'http://localhost/' } });
  // The pool may still hold a connection that the server is giving up.
  const status = () => fetch(url, { redirect: 'manual' }).then((reply) => reply.status, String);
  await expect.poll(status, { timeout: 5000 }).toBe(302);
});
