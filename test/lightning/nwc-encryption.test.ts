import fc from 'fast-check';
import { nip04, nip44 as otherNip44 } from 'nostr-tools';
import { expect, test } from 'vitest';
import { nip44, nip44Encrypt, openConversations } from '../../src/lightning/nwc/encryption.ts';
import { isGenuine, signEvent } from '../../src/lightning/nwc/nostr-event.ts';
import { publicKeyOf, sharedSecretX, xOnlyPublicKeyOf } from '../../src/lightning/secp256k1.ts';

const one = Buffer.alloc(32);
one[31] = 1;
const two = Buffer.alloc(32);
two[31] = 2;
// The first vector of NIP-44.
const conversationKey = Buffer.from('c41c775356fd92eadc63ff5a0dc1da211b268cbea22316767095b2871ea1412d', 'hex');
const payload =
  'AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABee0G5VSK0/9YypIObAtDKfYEAjD35uVkHyB0F4DwrcNaCXlCWZKaArsGrY6M9wnuTMxWfp1RTN9Xga8no+kF5Vsb';

test('NIP-44 gives what its published vector says', () => {
  expect(nip44Encrypt(conversationKey, 'a', one)).toBe(payload);
  expect(nip44(conversationKey).decrypt(payload)).toBe('a');
  const { nip44_v2 } = openConversations(one, xOnlyPublicKeyOf(two));
  expect(nip44_v2.decrypt(payload)).toBe('a');
  expect(sharedSecretX(one, Buffer.alloc(32, 0xff))).toBeUndefined();
});

test.each(['nip44_v2', 'nip04'] as const)('%s: both sides read each other, and nothing that was changed', (name) => {
  const mine = openConversations(one, xOnlyPublicKeyOf(two))[name];
  const theirs = openConversations(two, xOnlyPublicKeyOf(one))[name];
  for (const text of ['x', '数'.repeat(700), 'y'.repeat(32), 'y'.repeat(33), 'y'.repeat(257)]) {
    expect(theirs.decrypt(mine.encrypt(text))).toBe(text);
  }
  expect(() => theirs.decrypt('nonsense')).toThrow();
});

// nostr-tools passes the whole of the published vectors; byte for byte, we do what it does.
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((bytes) => publicKeyOf(bytes) !== undefined);
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
  fc.integer({ min: 1, max: 65_535 }).map((length) => 'x'.repeat(length)),
);

test('NIP-44 writes what another implementation writes, and each reads the other', () => {
  fc.assert(
    fc.property(keys, keys, texts, fc.uint8Array({ minLength: 32, maxLength: 32 }), (mine, theirs, text, nonce) => {
      fc.pre(Buffer.byteLength(text) <= 65_535);
      const conversation = otherNip44.getConversationKey(theirs, hexOf(xOnlyPublicKeyOf(mine)));
      const written = nip44Encrypt(conversation, text, nonce);
      expect(written).toBe(otherNip44.encrypt(text, conversation, nonce));
      const { nip44_v2 } = openConversations(mine, xOnlyPublicKeyOf(theirs));
      expect(nip44_v2.decrypt(written)).toBe(text);
      expect(otherNip44.decrypt(nip44_v2.encrypt(text), conversation)).toBe(text);
    }),
    { numRuns: 60 },
  );
});

test('NIP-44 refuses what another implementation refuses', () => {
  const spoilt = fc.tuple(fc.nat(payload.length - 1), fc.constantFrom('A', 'z', '=', '#', '')).map(([at, letter]) => {
    return payload.slice(0, at) + letter + payload.slice(at + 1);
  });
  const takes = (read: () => string) => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  fc.assert(
    fc.property(fc.oneof(spoilt, fc.base64String(), fc.string()), (text) => {
      expect(takes(() => nip44(conversationKey).decrypt(text))).toBe(
        takes(() => otherNip44.decrypt(text, conversationKey)),
      );
    }),
    { numRuns: 300 },
  );
  for (const length of [0, 65_536]) {
    expect(() => nip44(conversationKey).encrypt('x'.repeat(length))).toThrow(RangeError);
  }
});

test('NIP-04 is read by another implementation, and reads it', () => {
  fc.assert(
    fc.property(keys, keys, texts, (mine, theirs, text) => {
      const own = openConversations(mine, xOnlyPublicKeyOf(theirs)).nip04;
      expect(nip04.decrypt(hexOf(theirs), hexOf(xOnlyPublicKeyOf(mine)), own.encrypt(text))).toBe(text);
      expect(own.decrypt(nip04.encrypt(hexOf(theirs), hexOf(xOnlyPublicKeyOf(mine)), text))).toBe(text);
    }),
    { numRuns: 30 },
  );
});

test('NIP-44 refuses a payload of which one bit was changed', () => {
  const bytes = Buffer.from(payload, 'base64');
  for (const at of [0, 5, 40, bytes.length - 1]) {
    const changed = Buffer.from(bytes);
    changed[at] = changed[at]! ^ 1;
    expect(() => nip44(conversationKey).decrypt(changed.toString('base64'))).toThrow();
  }
});

test('an event is genuine as it was signed, and no other way', () => {
  const event = signEvent({ kind: 1, created_at: 1, tags: [['p', 'x']], content: 'Tea' }, one);
  expect(isGenuine(event)).toBe(true);
  expect(isGenuine({ ...event, content: 'Coffee' })).toBe(false);
  expect(isGenuine({ ...event, sig: '0'.repeat(128) })).toBe(false);
});
