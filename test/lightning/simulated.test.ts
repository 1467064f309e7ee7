import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import {
  type SimulatedPayment,
  simulatedConnector,
  simulatedPreimage,
} from '../../src/lightning/adapters/simulated.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11.ts';
import type { InvoiceRequest } from '../../src/lightning/connector.ts';
import type { SimulatorSettings } from '../../src/model/connection.ts';

const signal = new AbortController().signal;
const secret = Buffer.alloc(32, 1);
const request: InvoiceRequest = { ref: 'r1', amountMsat: 21_000n, description: 'Tee №1', expirySeconds: 600 };

function simulate(settings: SimulatorSettings = {}, told: Partial<SimulatedPayment> | undefined = undefined) {
  const clock = new ManualClock(new Date('2026-11-27T12:00:00.700Z'));
  const payment = { settlesAt: null, receivedMsat: null, withPreimage: true, held: false, ...told };
  const book = { find: async () => (told ? payment : undefined) };
  const wallet = simulatedConnector({ secret, settings, book, clock });
  const open = async () => {
    const created = await wallet.createInvoice(request, signal);
    return () => wallet.lookupInvoice({ ...created, ref: request.ref }, signal);
  };
  return { clock, wallet, open };
}

describe('the simulated wallet', () => {
  test('makes a regtest invoice that reads as it was asked for', async () => {
    const { bolt11, paymentHash, expiresAt } = await simulate().wallet.createInvoice(request, signal);
    expect(bolt11).toMatch(/^lnbcrt210n1/);
    expect(decodeBolt11(bolt11)).toMatchObject({
      network: 'regtest',
      amountMsat: 21_000n,
      description: 'Tee №1',
      timestamp: new Date('2026-11-27T12:00:00Z'),
      expirySeconds: 600,
      expiresAt,
      paymentHash,
      features: [8, 14, 17],
    });
  });

  test('makes the same for the same reference, another for another, and shares nothing between secrets', async () => {
    const { wallet } = simulate();
    const first = await wallet.createInvoice(request, signal);
    expect(await wallet.createInvoice(request, signal)).toEqual(first);
    const others = await Promise.all([
      wallet.createInvoice({ ...request, ref: 'r2' }, signal),
      simulatedConnector({
        secret: Buffer.alloc(32, 2),
        settings: {},
        book: { find: async () => undefined },
        clock: new ManualClock(),
      }).createInvoice(request, signal),
    ]);
    const invoices = [first, ...others].map(({ bolt11 }) => decodeBolt11(bolt11));
    for (const member of ['paymentHash', 'paymentSecret'] as const) {
      expect(new Set(invoices.map((invoice) => invoice[member])).size).toBe(3);
    }
    expect(invoices.map(({ payee }) => payee === invoices[0]!.payee)).toEqual([true, true, false]);
  });

  test('gives out the preimage only when settled', async () => {
    const { clock, open } = simulate({}, { settlesAt: new Date('2026-11-27T12:00:10Z') });
    const look = await open();
    expect(await look()).toEqual({ state: 'pending' });
    clock.advanceSeconds(10);
    const fact = await look();
    expect(fact).toEqual({
      state: 'settled',
      receivedMsat: 21_000n,
      preimage: simulatedPreimage(secret, 'r1').toString('hex'),
      settledAt: new Date('2026-11-27T12:00:10Z'),
    });
  });

  test('tells what arrived when that was more, and keeps the preimage back when told so', async () => {
    const settlesAt = new Date(0);
    const { open } = simulate({}, { settlesAt, receivedMsat: 42_000n, withPreimage: false });
    expect(await (await open())()).toEqual({
      state: 'settled',
      receivedMsat: 42_000n,
      preimage: undefined,
      settledAt: settlesAt,
    });
  });

  test('holds money until it settles, by its settings or for one invoice', async () => {
    for (const { open, clock } of [simulate({ hold: true }), simulate({}, { held: true })]) {
      const look = await open();
      expect(await look()).toEqual({ state: 'held' });
      clock.advanceSeconds(3600);
      expect(await look()).toEqual({ state: 'held' });
    }
    const { open } = simulate({ hold: true }, { held: true, settlesAt: new Date(0) });
    expect(await (await open())()).toMatchObject({ state: 'settled' });
  });

  test('pays by itself after some seconds, also after the end of the invoice', async () => {
    for (const payAfterSeconds of [0, 5, 700]) {
      const { open, clock } = simulate({ payAfterSeconds });
      const look = await open();
      if (payAfterSeconds > 0) expect(await look()).toEqual({ state: 'pending' });
      clock.advanceSeconds(payAfterSeconds);
      const settledAt = new Date(Date.parse('2026-11-27T12:00:00Z') + payAfterSeconds * 1000);
      expect(await look()).toMatchObject({ state: 'settled', settledAt });
    }
  });

  test('expires at the second that the invoice names', async () => {
    const { open, clock } = simulate();
    const look = await open();
    clock.set(new Date('2026-11-27T12:09:59.999Z'));
    expect(await look()).toEqual({ state: 'pending' });
    clock.set(new Date('2026-11-27T12:10:00Z'));
    expect(await look()).toEqual({ state: 'expired' });
  });

  test('does not know invoices that it did not make', async () => {
    const { wallet } = simulate({ payAfterSeconds: 0 });
    const created = await wallet.createInvoice(request, signal);
    expect(await wallet.lookupInvoice({ ...created, ref: 'r2' }, signal)).toEqual({ state: 'unknown' });
    await expect(wallet.lookupInvoice({ ...created, ref: 'r1', handle: {} }, signal)).rejects.toThrow(/not made by/);
  });

  test('cuts a description that is too long at a whole character', async () => {
    const { wallet } = simulate();
    const { bolt11 } = await wallet.createInvoice({ ...request, description: `a${'🥨'.repeat(300)}` }, signal);
    expect(decodeBolt11(bolt11).description).toBe(`a${'🥨'.repeat(159)}`);
  });

  test('fails and waits when told to', async () => {
    await expect(simulate({ fail: true }).open()).rejects.toMatchObject({ kind: 'unreachable' });
    const startedAt = Date.now();
    await simulate({ delayMs: 80 }).open();
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(75);
  });

  test('wants a real secret', () => {
    const options = { settings: {}, book: { find: async () => undefined }, clock: new ManualClock() };
    expect(() => simulatedConnector({ ...options, secret: Buffer.alloc(15) })).toThrow(RangeError);
  });

  test('has preimages that hash to the payment hash', async () => {
    const { paymentHash } = await simulate().wallet.createInvoice(request, signal);
    expect(createHash('sha256').update(simulatedPreimage(secret, 'r1')).digest('hex')).toBe(paymentHash);
  });
});
