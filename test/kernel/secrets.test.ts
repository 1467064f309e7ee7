import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createSealer, Secret, sha256Hex } from '../../src/kernel/secrets.ts';

const key = randomBytes(32);
const sealer = createSealer(key);
const place = { table: 'wallets', column: 'credentials', row: 'one' };

describe('sealing', () => {
  test('opens to exactly the bytes that were sealed, wherever they are kept', () => {
    const word = fc.string({ minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 2000 }),
        fc.record({ table: word, column: word, row: word }),
        (bytes, at) => {
          expect(sealer.open(sealer.seal(bytes, at), at).equals(Buffer.from(bytes))).toBe(true);
        },
      ),
    );
  });

  test('takes text as UTF-8', () => {
    expect(sealer.open(sealer.seal('Ωμέγα ☂ 数', place), place).toString()).toBe('Ωμέγα ☂ 数');
  });

  test('never makes the same bytes twice, and shows nothing of what is inside but its length', () => {
    const plain = 'secret '.repeat(50);
    const [one, two] = [sealer.seal(plain, place), sealer.seal(plain, place)];
    expect(one.equals(two)).toBe(false);
    expect(one.includes('secret')).toBe(false);
    expect(one.length).toBe(two.length);
    expect(one.length - Buffer.byteLength(plain)).toBe(1 + 4 + 12 + 16);
  });

  test('does not open at another place', () => {
    const sealed = sealer.seal('x', place);
    for (const moved of [
      { ...place, row: 'two' },
      { ...place, column: 'other' },
      { ...place, table: 'other' },
    ]) {
      expect(() => sealer.open(sealed, moved)).toThrow();
    }
  });

  test('does not open when a single bit was changed', () => {
    const sealed = sealer.seal('a value of some length', place);
    fc.assert(
      fc.property(fc.nat({ max: sealed.length - 1 }), fc.nat({ max: 7 }), (index, bit) => {
        const damaged = Buffer.from(sealed);
        damaged[index]! ^= 1 << bit;
        expect(() => sealer.open(damaged, place)).toThrow();
      }),
    );
  });

  test('does not open when it was cut, and says nothing of the value', () => {
    const sealed = sealer.seal('value', place);
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open(sealed.subarray(0, length), place)).toThrow();
    }
  });

  test('tells another secrets key from damage', () => {
    const sealed = createSealer(randomBytes(32)).seal('x', place);
    expect(() => sealer.open(sealed, place)).toThrow(/wallets\.credentials belongs to another secrets key/);
    expect(() => sealer.open(Buffer.from('nonsense'), place)).toThrow(/unknown format/);
  });

  test('is opened by a process of the same key', () => {
    expect(createSealer(Buffer.from(key)).open(sealer.seal('x', place), place).toString()).toBe('x');
  });

  test.each([0, 16, 31, 33, 64])('refuses a key of %i bytes', (length) => {
    expect(() => createSealer(randomBytes(length))).toThrow(RangeError);
  });
});

describe('derived keys', () => {
  test('follow from purpose and key, and from nothing else', () => {
    expect(sealer.deriveKey('signing')).toHaveLength(32);
    expect(createSealer(Buffer.from(key)).deriveKey('signing').equals(sealer.deriveKey('signing'))).toBe(true);
    expect(sealer.deriveKey('signing').equals(sealer.deriveKey('signing '))).toBe(false);
    expect(createSealer(randomBytes(32)).deriveKey('signing').equals(sealer.deriveKey('signing'))).toBe(false);
    expect(sealer.deriveKey('signing').equals(key)).toBe(false);
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
