import { describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/kernel/clock.ts';
import { acceptedNetworks, acceptInvoice } from '../../src/lightning/acceptance.ts';
import { type Bolt11Fields, encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import { WalletFault } from '../../src/lightning/connector.ts';

const now = new Date('2026-11-27T12:00:00.500Z');
const key = Buffer.alloc(32, 7);

function invoice(change: Partial<Bolt11Fields> = {}): string {
  return encodeBolt11(
    {
      network: 'mainnet',
      amountMsat: 21_000n,
      timestamp: now,
      expirySeconds: 900,
      paymentHash: 'ab'.repeat(32),
      paymentSecret: 'cd'.repeat(32),
      describedBy: { description: 'Tea' },
      ...change,
    },
    key,
  );
}

const live = { amountMsat: 21_000n, networks: acceptedNetworks(true), now };
const testMode = { ...live, networks: acceptedNetworks(false) };

function refusal(text: unknown, terms = live): string {
  try {
    acceptInvoice(text, terms);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(WalletFault);
    expect((error as WalletFault).kind).toBe('bad_invoice');
    return (error as WalletFault).message;
  }
}

describe('the acceptance check', () => {
  test('gives the invoice with its own end, not the one that was wished for', () => {
    const text = invoice({ expirySeconds: 60 });
    expect(acceptInvoice(`lightning:${text.toUpperCase()}`, live)).toMatchObject({
      bolt11: text,
      paymentHash: 'ab'.repeat(32),
      expiresAt: new Date('2026-11-27T12:01:00Z'),
    });
  });

  test('takes either spelling of an amount, and no other amount (cases C001, C012)', () => {
    expect(refusal(invoice())).toBe('accepted');
    for (const amountMsat of [20_000n, 22_000n, 20_999n, 21_001n, 21_000_000n]) {
      expect(refusal(invoice({ amountMsat }))).toMatch(/msat when asked for 21000 msat/);
    }
    expect(refusal(invoice({ amountMsat: null }))).toMatch(/without an amount/);
  });

  test('keeps live and test money apart', () => {
    expect(refusal(invoice(), testMode)).toMatch(/mainnet/);
    for (const network of ['regtest', 'testnet', 'signet'] as const) {
      expect(refusal(invoice({ network }), testMode)).toBe('accepted');
      expect(refusal(invoice({ network }), live)).toMatch(new RegExp(network));
    }
  });

  test('wants 30 seconds left', () => {
    expect(refusal(invoice({ timestamp: addSeconds(now, -869) }))).toBe('accepted');
    expect(refusal(invoice({ timestamp: addSeconds(now, -871) }))).toMatch(/expired or is about to/);
    expect(refusal(invoice({ expirySeconds: 29 }))).toMatch(/expired or is about to/);
    expect(refusal(invoice({ timestamp: new Date('2017-06-01T00:00:00Z') }))).toMatch(/expired/);
  });

  test('bears with a clock that is two minutes ahead', () => {
    expect(refusal(invoice({ timestamp: addSeconds(now, 119) }))).toBe('accepted');
    expect(refusal(invoice({ timestamp: addSeconds(now, 122) }))).toMatch(/future/);
  });

  test.each([undefined, null, 42, {}, ['lnbc1'], '', 'lnbc', 'nonsense'])('refuses %j', (value) => {
    expect(refusal(value)).toMatch(/no invoice|cannot be read/);
  });

  test('refuses a damaged invoice', () => {
    expect(refusal(`${invoice().slice(0, -1)}q`)).toMatch(/cannot be read/);
  });
});
