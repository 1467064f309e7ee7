import { bech32 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBolt11, normaliseBolt11 } from '../../src/lightning/bolt11.ts';
import { type Bolt11Fields, encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import { Bolt11Error } from '../../src/lightning/bolt11-format.ts';
import { numberToWords, wordsToNumber } from '../../src/lightning/bolt11-words.ts';
import { publicKeyOf } from '../../src/lightning/secp256k1.ts';
import { bolt11Fields, privateKeys } from './bolt11-arbitraries.ts';
import { invalidVectors, privateKey, validVectors } from './bolt11-vectors.ts';

const key = Buffer.from(privateKey, 'hex');
const fields = {
  network: 'regtest',
  amountMsat: 21_000n,
  timestamp: new Date('2026-11-27T12:00:00Z'),
  paymentHash: 'ab'.repeat(32),
  paymentSecret: 'cd'.repeat(32),
  describedBy: { description: '' },
} satisfies Bolt11Fields;

function refused(text: string): string {
  try {
    decodeBolt11(text);
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(Bolt11Error);
    return (error as Error).message;
  }
}

describe('official vectors', () => {
  test('are complete', () => {
    expect([validVectors.length, invalidVectors.length]).toEqual([16, 10]);
  });

  test.each(validVectors)('reads: $name', ({ text, expected }) => {
    const { bolt11, expiresAt, ...rest } = decodeBolt11(text);
    expect(rest).toEqual(expected);
    expect(bolt11).toBe(text.toLowerCase());
    expect(expiresAt.getTime()).toBe(expected.timestamp.getTime() + expected.expirySeconds * 1000);
  });

  test.each(invalidVectors)('refuses: $name', ({ text, says }) => {
    expect(refused(text)).toMatch(says);
  });

  test('are what we write from the same fields, where the field order is ours', () => {
    // The standard's example with metadata-free fields p, d, s has another order, so the signature differs; its amount
    // and fields must come out the same nevertheless.
    for (const { text, expected } of validVectors) {
      if (expected.features.includes(48) || text.startsWith('lntb')) continue;
      const { description, descriptionHash, ...rest } = expected;
      const describedBy = descriptionHash ? { descriptionHash } : { description: description! };
      const again = decodeBolt11(encodeBolt11({ ...rest, describedBy }, key));
      expect({ ...again, payee: '' }).toMatchObject({ ...expected, payee: '' });
      expect(again.bolt11.split('1')[0]).toBe(text.toLowerCase().split('1')[0]);
    }
  });
});

describe('amounts (case C001)', () => {
  const amounts = [
    ['12340p', 1234n],
    ['10p', 1n],
    ['20n', 2000n],
    ['5u', 500_000n],
    ['3m', 300_000_000n],
    ['1', 100_000_000_000n],
    ['210n', 21_000n],
    ['210000p', 21_000n],
    ['', null],
    ['21000000', 2_100_000_000_000_000_000n],
  ] as const;

  test.each(amounts)('reads %j as %s msat', (text, msat) => {
    expect(decodeBolt11(withPrefix(`lnbcrt${text}`)).amountMsat).toBe(msat);
  });

  test.each(['0', '0n', '01n', '007', '-1n', '1.5n', '1e3', '5x', 'n', '15p', '21000001', '99999999999999999999999m'])(
    'refuses %j',
    (text) => {
      expect(refused(withPrefix(`lnbcrt${text}`))).toMatch(/amount|bech32/);
    },
  );

  test('writes the shortest form', () => {
    const written = (amountMsat: bigint) => /^lnbcrt(.*?)1p/.exec(encodeBolt11({ ...fields, amountMsat }, key))![1];
    expect([1n, 1000n, 21_000n, 100_000n, 10n ** 8n, 10n ** 11n, 12n * 10n ** 10n].map(written)).toEqual([
      '10p',
      '10n',
      '210n',
      '1u',
      '1m',
      '1',
      '1200m',
    ]);
  });
});

/** A validly signed invoice under a human-readable part of choice. */
function withPrefix(prefix: string): string {
  return reword(prefix, (words) => words);
}

function reword(prefix: string, change: (words: number[]) => number[]): string {
  const words = bech32.decode(encodeBolt11(fields, key) as `${string}1${string}`, false).words;
  // The signature no longer fits the changed text, but recovery yields some key or other for almost any text.
  return bech32.encode(prefix, change([...words]), false);
}

describe('decoding', () => {
  test('defaults to 3600 s and 18 blocks (case C003)', () => {
    const invoice = decodeBolt11(encodeBolt11(fields, key));
    expect(invoice).toMatchObject({ expirySeconds: 3600, minFinalCltv: 18 });
    expect(invoice.expiresAt).toEqual(new Date('2026-11-27T13:00:00Z'));
  });

  test('takes a lightning: prefix and upper case and gives the bare lower-case string (case C004)', () => {
    const text = encodeBolt11(fields, key);
    for (const spelling of [`lightning:${text}`, `LIGHTNING:${text.toUpperCase()}`, `  ${text.toUpperCase()}\n`]) {
      expect(decodeBolt11(spelling).bolt11).toBe(text);
      expect(normaliseBolt11(spelling)).toBe(text);
    }
    expect(refused(`lightning://${text}`)).toMatch(/bech32/);
    expect(refused(text.replace('lnbcrt', 'LNBCRT'))).toMatch(/bech32/);
  });

  test('keeps descriptions to the letter (case C006)', () => {
    for (const description of ['', 'Ωμέγα ☂ 数', 'Café №5', '\ufeffmark', 'a\u0000b', '🥨'.repeat(159)]) {
      const text = encodeBolt11({ ...fields, describedBy: { description } }, key);
      expect(decodeBolt11(text).description).toBe(description);
    }
    expect(() => encodeBolt11({ ...fields, describedBy: { description: 'x'.repeat(640) } }, key)).toThrow(/639 bytes/);
  });

  test('reads an invoice that expired long ago (case C008)', () => {
    const text = encodeBolt11({ ...fields, timestamp: new Date(0), expirySeconds: 1 }, key);
    expect(decodeBolt11(text).expiresAt).toEqual(new Date(1000));
  });

  test.each([
    ['lnbcrt', 'regtest'],
    ['lnbc', 'mainnet'],
    ['lntbs', 'signet'],
    ['lntb', 'testnet'],
  ])('tells %s apart: %s', (prefix, network) => {
    expect(decodeBolt11(withPrefix(`${prefix}210n`)).network).toBe(network);
  });

  test.each(['', 'lnbc', 'lnsb210n', 'bc', 'lnb210n', 'lnurl'])('refuses the prefix %j', (prefix) => {
    if (prefix === 'lnbc') expect(decodeBolt11(withPrefix(prefix)).amountMsat).toBeNull();
    else expect(() => withPrefix(prefix) && decodeBolt11(withPrefix(prefix))).toThrow();
  });

  test('refuses AMP, whose preimage proves nothing, and lets unknown odd bits pass', () => {
    expect(refused(encodeBolt11({ ...fields, features: [8, 14, 30] }, key))).toMatch(/feature 30/);
    for (const features of [[8, 14, 16, 24, 36, 48], [8, 14, 31, 151], []]) {
      expect(decodeBolt11(encodeBolt11({ ...fields, features }, key)).features).toEqual(features);
    }
  });

  test('refuses fields that are cut off', () => {
    const field = (words: number[]) => reword('lnbcrt210n', (all) => [...all.slice(0, 7), ...words, ...all.slice(7)]);
    expect(refused(field([13, 31, 31]))).toMatch(/cut off/);
    expect(refused(reword('lnbcrt210n', (all) => all.slice(0, 50)))).toMatch(/too short/);
  });

  test('refuses a description that is no UTF-8 and an expiry beyond reason', () => {
    const field = (words: number[]) => reword('lnbcrt210n', (all) => [...all.slice(0, 7), ...words, ...all.slice(7)]);
    expect(refused(field([13, 0, 2, 31, 31]))).toMatch(/UTF-8/);
    expect(refused(field([6, 0, 8, 1, 0, 0, 0, 0, 0, 0, 0]))).toMatch(/expiry/);
    expect(refused(field([6, 0, 20, ...Array<number>(20).fill(31)]))).toMatch(/expiry/);
    expect(decodeBolt11(field([6, 0, 20, ...Array<number>(19).fill(0), 9])).expirySeconds).toBe(9);
  });

  test('takes the first of several fields of one kind', () => {
    const x = (seconds: number) => [6, 0, 1, seconds];
    const text = reword('lnbcrt210n', (all) => [...all.slice(0, 7), ...x(5), ...x(7), ...all.slice(7)]);
    expect(decodeBolt11(text).expirySeconds).toBe(5);
  });

  test('refuses any text that is changed in one place', () => {
    const text = encodeBolt11(fields, key);
    for (let i = 0; i < text.length; i++) {
      const other = text[i] === 'q' ? 'p' : 'q';
      expect(refused(text.slice(0, i) + other + text.slice(i + 1))).not.toBe('accepted');
    }
  });

  test('never throws anything but Bolt11Error, whatever it is given', () => {
    const anything = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc
        .array(fc.integer({ min: 0, max: 31 }), { maxLength: 400 })
        .map((words) => bech32.encode('lnbcrt1u', words, false)),
    );
    fc.assert(
      fc.property(anything, (text) => void refused(text)),
      { numRuns: 500 },
    );
    expect(refused('lnbc1'.padEnd(100_000, 'q'))).toMatch(/too long/);
  });
});

describe('encoding', () => {
  test('round-trips everything it can write', () => {
    const property = fc.property(bolt11Fields, privateKeys, (wanted, signer) => {
      const { describedBy, ...rest } = wanted;
      const text = encodeBolt11(wanted, signer);
      const described = { description: undefined, descriptionHash: undefined, ...describedBy };
      expect(decodeBolt11(text)).toEqual({
        ...rest,
        ...described,
        bolt11: text,
        expiresAt: new Date(rest.timestamp.getTime() + rest.expirySeconds * 1000),
        payee: Buffer.from(publicKeyOf(signer)!).toString('hex'),
      });
    });
    fc.assert(property, { numRuns: 100 });
  });

  test.each([
    ['no amount at all', { amountMsat: 0n }],
    ['a negative amount', { amountMsat: -1n }],
    ['more than all bitcoin', { amountMsat: 2_100_000_000_000_000_001n }],
    ['a time before 1970', { timestamp: new Date(-1000) }],
    ['no time', { timestamp: new Date(Number.NaN) }],
    ['a negative expiry', { expirySeconds: -1 }],
    ['a short hash', { paymentHash: 'ab' }],
    ['a secret that is no hex', { paymentSecret: 'x'.repeat(64) }],
  ])('refuses %s', (_, change) => {
    expect(() => encodeBolt11({ ...fields, ...change }, key)).toThrow(Bolt11Error);
  });

  test('writes numbers in as few words as they take', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 35 - 1 }), (value) => {
        const words = numberToWords(value);
        expect(wordsToNumber(words)).toBe(value);
        expect(words[0]).not.toBe(0);
      }),
    );
  });
});
