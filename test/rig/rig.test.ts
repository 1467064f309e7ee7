import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { readInvoice } from './invoices.ts';
import { type Rig, startRig } from './network.ts';
import { PaymentFailure } from './payment-failure.ts';
import { waitUntil } from './timing.ts';

const clock = new ManualClock();
let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ clock });
}, 30_000);

afterEach(() => {
  vi.useRealTimers();
  rig.merchant.hold = false;
});

afterAll(() => rig.stop());

function sha256Hex(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
}

/** The code with which a payment fails; the test fails when the payment does not. */
async function failureOf(payment: Promise<unknown>): Promise<string> {
  const failure = await payment.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(failure).toBeInstanceOf(PaymentFailure);
  return (failure as PaymentFailure).code;
}

test('a payment settles, and both sides hold the preimage of the payment hash', async () => {
  const seen: string[] = [];
  const forget = rig.merchant.onReceived(({ paymentHash }) => seen.push(paymentHash));
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 21_000n, description: 'tea' });
  expect(bolt11).toMatch(/^lnbcrt/);
  expect(rig.merchant.received(paymentHash)).toBeUndefined();

  const { preimage } = await rig.payer.pay(bolt11);
  forget();

  expect(sha256Hex(preimage)).toBe(paymentHash);
  expect(rig.merchant.received(paymentHash)).toEqual({
    paymentHash,
    receivedMsat: 21_000n,
    preimage,
    settledAt: clock.now(),
  });
  expect(seen).toEqual([paymentHash]);
});

test.each([1, 1_000_000])('%d sat arrive in full', async (sats) => {
  const amountMsat = BigInt(sats) * 1000n;
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat });
  await rig.payer.pay(bolt11);
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(amountMsat);
});

test('what was received can be paid back', async () => {
  const payAMillion = rig.merchant.createInvoice({ amountMsat: 1_000_000_000n });
  await rig.payer.pay(payAMillion.bolt11);
  await waitUntil(() => rig.merchant.spendableMsat() >= 500_000_000n, 'the balance has moved');
  const refund = rig.payer.createInvoice({ amountMsat: 500_000_000n });
  await rig.merchant.pay(refund.bolt11);
  expect(rig.payer.received(refund.paymentHash)?.receivedMsat).toBe(500_000_000n);
});

test('half as much again as asked is taken and reported', async () => {
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 20_000_000n });
  await rig.payer.pay(bolt11, { amountMsat: 30_000_000n });
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(30_000_000n);
});

test('one sat too little comes back', async () => {
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 20_000_000n });
  expect(await failureOf(rig.payer.pay(bolt11, { amountMsat: 19_999_000n }))).toBe('rejected');
  expect(rig.merchant.received(paymentHash)).toBeUndefined();
});

test('an invoice without an amount takes what the payer chooses, and is refused without a choice', async () => {
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: null });
  expect(await failureOf(rig.payer.pay(bolt11))).toBe('bad_invoice');
  await rig.payer.pay(bolt11, { amountMsat: 7_000n });
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(7_000n);
});

test('an invoice is taken once', async () => {
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 5_000n });
  await rig.payer.pay(bolt11);
  expect(await failureOf(rig.payer.pay(bolt11))).toBe('rejected');
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(5_000n);
});

test('nonsense is no invoice', async () => {
  expect(await failureOf(rig.payer.pay('lnbcrt1nonsense'))).toBe('bad_invoice');
});

test('more than the channel holds finds no route', async () => {
  const { bolt11 } = rig.merchant.createInvoice({ amountMsat: 16_000_000_000n });
  expect(await failureOf(rig.payer.pay(bolt11))).toBe('route_not_found');
});

test('no route while the peer is cut off, payments again after reconnecting', async () => {
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 9_000n });
  await rig.disconnect();
  expect(await failureOf(rig.payer.pay(bolt11))).toBe('route_not_found');
  await rig.reconnect();
  await rig.payer.pay(bolt11);
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(9_000n);
});

test('a held payment waits, survives a cut, and settles when released', async () => {
  rig.merchant.hold = true;
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 3_000n });
  const payment = rig.payer.pay(bolt11);
  await waitUntil(() => rig.merchant.held().length === 1, 'the payment is held');
  await rig.disconnect();
  await rig.reconnect();
  expect(rig.merchant.held()).toEqual([{ paymentHash, amountMsat: 3_000n }]);
  expect(rig.merchant.received(paymentHash)).toBeUndefined();

  rig.merchant.release(paymentHash);
  expect(sha256Hex((await payment).preimage)).toBe(paymentHash);
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(3_000n);
});

test('a held payment can be sent back', async () => {
  rig.merchant.hold = true;
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 3_000n });
  const payment = rig.payer.pay(bolt11);
  await waitUntil(() => rig.merchant.held().length === 1, 'the payment is held');
  rig.merchant.refuse();
  expect(await failureOf(payment)).toBe('rejected');
  expect(rig.merchant.received(paymentHash)).toBeUndefined();
});

test('20 payments in a row, then 20 at once', async () => {
  const amounts = Array.from({ length: 20 }, (_, index) => BigInt(index + 1) * 1000n);
  for (const amountMsat of amounts) {
    const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat });
    await rig.payer.pay(bolt11);
    expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(amountMsat);
  }
  const invoices = amounts.map((amountMsat) => rig.merchant.createInvoice({ amountMsat }));
  await Promise.all(invoices.map(({ bolt11 }) => rig.payer.pay(bolt11)));
  expect(invoices.map(({ paymentHash }) => rig.merchant.received(paymentHash)?.receivedMsat)).toEqual(amounts);
}, 30_000);

test('an invoice is dated by the clock, and is still paid an hour after its expiry, but not three', async () => {
  const late = rig.merchant.createInvoice({ amountMsat: 4_000n, expirySeconds: 60 });
  const tooLate = rig.merchant.createInvoice({ amountMsat: 4_000n, expirySeconds: 60 });
  const read = readInvoice(late.bolt11);
  expect(read?.createdAt.getTime()).toBe(Math.floor(clock.now().getTime() / 1000) * 1000);
  expect(read?.expirySeconds).toBe(60);

  // LDK adds two hours to the expiry by design; other wallets hold a payment across it. Both are late payments.
  clock.advanceSeconds(3_600);
  await rig.payer.pay(late.bolt11);
  expect(rig.merchant.received(late.paymentHash)?.settledAt).toEqual(clock.now());

  clock.advanceSeconds(2 * 3_600);
  expect(await failureOf(rig.payer.pay(tooLate.bolt11))).toBe('rejected');
  const fresh = rig.merchant.createInvoice({ amountMsat: 4_000n });
  await rig.payer.pay(fresh.bolt11);
});

test('money moves while a test fakes the timers', async () => {
  vi.useFakeTimers();
  const { bolt11, paymentHash } = rig.merchant.createInvoice({ amountMsat: 6_000n });
  await rig.payer.pay(bolt11);
  expect(rig.merchant.received(paymentHash)?.receivedMsat).toBe(6_000n);
});

test('stopping ends waiting payments and leaves neither sockets nor timers', async () => {
  const count = (kind: string) => process.getActiveResourcesInfo().filter((active) => active.startsWith(kind)).length;
  const [sockets, timers] = [count('TCP'), count('Timeout')];
  const other = await startRig();
  other.merchant.hold = true;
  const payment = other.payer.pay(other.merchant.createInvoice({ amountMsat: 2_000n }).bolt11);
  await waitUntil(() => other.merchant.held().length === 1, 'the payment is held');
  expect(count('TCP')).toBeGreaterThan(sockets);

  await other.stop();
  await other.stop();
  expect(await failureOf(payment)).toBe('stopped');
  expect(await failureOf(other.payer.pay('lnbcrt1'))).toBe('stopped');
  // The test runner's own timers come and go, so there may be fewer than before.
  await waitUntil(() => count('TCP') === sockets && count('Timeout') <= timers, 'sockets and timers are gone');
});
