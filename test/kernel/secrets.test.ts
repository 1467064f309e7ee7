import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createSeal, createSealer, Secret, sealedUnder, secretsKeyId, sha256Hex } from '../../src/kernel/secrets.ts';

const key = randomBytes(32);
const seal = createSeal(key);
const place = { table: 'wallets', column: 'credentials', row: 'one' };

describe('sealing', () => {
  test('opens to exactly the bytes that were sealed, wherever they are kept', () => {
    const word = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2000 }),
        fc.record({ table: word, column: word, row: word }),
        (bytes, at) => {
          expect(seal.open(seal.seal(bytes, at), at).equals(Buffer.from(bytes))).toBe(true);
        },
      ),
    );
  });

  test('takes text as UTF-8', () => {
    expect(seal.open(seal.seal('Ωμέγα ☂ 数', place), place).toString()).toBe('Ωμέγα ☂ 数');
  });

  test('never makes the same bytes twice, and shows nothing of what is inside but its length', () => {
    const plain = 'secret '.repeat(50);
    const [one, two] = [seal.seal(plain, place), seal.seal(plain, place)];
    expect(one.equals(two)).toBe(false);
    expect(one.includes('secret')).toBe(false);
    expect(one.length).toBe(two.length);
    expect(one.length - Buffer.byteLength(plain)).toBe(1 + 4 + 12 + 16);
  });

  test('does not open at another place', () => {
    const sealed = seal.seal('x', place);
    for (const moved of [
      { ...place, row: 'two' },
      { ...place, column: 'other' },
      { ...place, table: 'other' },
    ]) {
      expect(() => seal.open(sealed, moved)).toThrow();
    }
  });

  test('does not open when a single bit was changed', () => {
    const sealed = seal.seal('a value of some length', place);
    fc.assert(
      fc.property(fc.nat({ max: sealed.length - 1 }), fc.nat({ max: 7 }), (index, bit) => {
        const damaged = Buffer.from(sealed);
        damaged[index]! ^= 1 << bit;
        expect(() => seal.open(damaged, place)).toThrow();
      }),
    );
  });

  test('does not open when it was cut, and says nothing of the value', () => {
    const sealed = seal.seal('value', place);
    for (let length = 0; length < sealed.length; length++) {
      expect(() => seal.open(sealed.subarray(0, length), place)).toThrow();
    }
  });

  test('tells another secrets key from damage', () => {
    const sealed = createSeal(randomBytes(32)).seal('x', place);
    expect(() => seal.open(sealed, place)).toThrow(/wallets\.credentials belongs to another secrets key/);
    expect(() => seal.open(Buffer.from('nonsense'), place)).toThrow(/unknown format/);
  });

  test('is opened by a process of the same key', () => {
    expect(createSeal(Buffer.from(key)).open(seal.seal('x', place), place).toString()).toBe('x');
  });

  test.each([0, 16, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(() => createSeal(randomBytes(length))).toThrow(RangeError);
  });

  test('opens what was sealed under a key before, and seals under the present one', () => {
    const [earlier, later] = [randomBytes(32), randomBytes(32)];
    const old = createSeal(earlier).seal('kept', place);
    const both = createSeal(later, [randomBytes(32), earlier]);
    expect(both.open(old, place).toString()).toBe('kept');
    const anew = both.seal('kept', place);
    expect(sealedUnder(old)).toBe(secretsKeyId(earlier));
    expect([sealedUnder(anew), both.keyId]).toEqual([secretsKeyId(later), secretsKeyId(later)]);
    expect(createSeal(later).open(anew, place).toString()).toBe('kept');
    expect(() => createSeal(later).open(old, place)).toThrow(/another secrets key/);
    expect(() => createSeal(later, [randomBytes(31)])).toThrow(RangeError);
  });

  test('tells what is no sealed value', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.from('short'), Buffer.alloc(64), Buffer.from('x'.repeat(64))]) {
      expect(sealedUnder(bytes)).toBeUndefined();
    }
  });
});

describe('derived keys', () => {
  test('follow from purpose and installation secret, and not from the secrets key', () => {
    const root = randomBytes(32);
    const sealer = createSealer(seal, root);
    expect(sealer.deriveKey('signing')).toHaveLength(32);
    expect(createSealer(seal, Buffer.from(root)).deriveKey('signing').equals(sealer.deriveKey('signing'))).toBe(true);
    expect(sealer.deriveKey('signing').equals(sealer.deriveKey('signing '))).toBe(false);
    expect(createSealer(seal, randomBytes(32)).deriveKey('signing').equals(sealer.deriveKey('signing'))).toBe(false);
    expect(sealer.deriveKey('signing').equals(root)).toBe(false);
    const underAnother = createSealer(createSeal(randomBytes(32), [key]), root);
    expect(underAnother.deriveKey('signing').equals(sealer.deriveKey('signing'))).toBe(true);
  });
});

describe('a Secret', () => {
  const secret = new Secret('whsec_hidden');

  test('is shown only when asked for', () => {
    expect(secret.reveal()).toBe('whsec_hidden');
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) });
    log.info({ secret, nested: { secret } }, `value ${secret}`);
    const shown = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret, list: [secret] }),
      inspect(secret),
      inspect({ deep: { secret } }, { depth: 9, showHidden: true }),
      Object.values(secret).join(),
      JSON.stringify(Object.getOwnPropertyDescriptors(secret)),
      ...lines,
    ].join('\n');
    expect(shown).not.toContain('hidden');
    expect(shown).toContain('[redacted]');
  });
});

test('hashes as hex', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(sha256Hex(Buffer.from('abc'))).toBe(sha256Hex('abc'));
});
