import { expect, test } from 'vitest';
import { nip44, nip44Encrypt, openConversations } from '../../src/lightning/nwc/encryption.ts';
import { isGenuine, signEvent } from '../../src/lightning/nwc/nostr-event.ts';
import { sharedSecretX, xOnlyPublicKeyOf } from '../../src/lightning/secp256k1.ts';

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
