import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { publicKeyOf, recoverPublicKey, signDigest, verifyDigest } from '../../src/lightning/secp256k1.ts';

const order = secp256k1.Point.Fn.ORDER;
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const privateKeys = fc.bigInt({ min: 1n, max: order - 1n }).map(toBytes);

function toBytes(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
}

function highS(compact: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(compact.subarray(32)).toString('hex')}`);
  return Buffer.concat([compact.subarray(0, 32), toBytes(order - s)]);
}

/** noble puts the recovery id before r and s. */
function nobleRecovered(digest: Uint8Array, compact: Uint8Array, recoveryId: number): Uint8Array {
  return secp256k1.recoverPublicKey(Buffer.concat([Buffer.of(recoveryId), compact]), digest, { prehash: false });
}

describe('secp256k1, with @noble/curves as the oracle', () => {
  test('signs, verifies and recovers as noble does', () => {
    const property = fc.property(privateKeys, bytes32, (privateKey, digest) => {
      const publicKey = secp256k1.getPublicKey(privateKey, true);
      expect(publicKeyOf(privateKey)).toEqual(publicKey);
      const { compact, recoveryId } = signDigest(digest, privateKey);
      // Both follow RFC 6979, so the signatures are equal and not just both valid.
      expect(Buffer.from(compact)).toEqual(Buffer.from(secp256k1.sign(digest, privateKey, { prehash: false })));
      expect(verifyDigest(digest, publicKey, compact)).toBe(true);
      expect(recoverPublicKey(digest, compact, recoveryId)).toEqual(publicKey);
      expect(nobleRecovered(digest, compact, recoveryId)).toEqual(publicKey);
    });
    fc.assert(property, { numRuns: 40 });
  });

  test('recovers from a high S with the other recovery id, but does not verify it', () => {
    const property = fc.property(privateKeys, bytes32, (privateKey, digest) => {
      const { compact, recoveryId } = signDigest(digest, privateKey);
      const twin = highS(compact);
      expect(verifyDigest(digest, publicKeyOf(privateKey)!, twin)).toBe(false);
      expect(recoverPublicKey(digest, twin, recoveryId ^ 1)).toEqual(publicKeyOf(privateKey));
    });
    fc.assert(property, { numRuns: 20 });
  });

  test('always signs with a low S', () => {
    const privateKey = toBytes(12345n);
    for (let i = 0n; i < 100n; i++) {
      const { compact } = signDigest(toBytes(i), privateKey);
      expect(BigInt(`0x${Buffer.from(compact.subarray(32)).toString('hex')}`)).toBeLessThanOrEqual(order / 2n);
    }
  });

  test('answers nonsense with false or undefined, never with an exception', () => {
    const digest = toBytes(7n);
    const publicKey = publicKeyOf(toBytes(1n))!;
    const bad = [Buffer.alloc(64), Buffer.alloc(64, 0xff), Buffer.concat([toBytes(order), toBytes(1n)])];
    for (const compact of bad) {
      expect(verifyDigest(digest, publicKey, compact)).toBe(false);
      for (const id of [0, 1, 2, 3, 4, 255]) expect(recoverPublicKey(digest, compact, id)).toBeUndefined();
    }
    expect(verifyDigest(digest, Buffer.alloc(33, 2), signDigest(digest, toBytes(1n)).compact)).toBe(false);
    expect(publicKeyOf(Buffer.alloc(32))).toBeUndefined();
    expect(publicKeyOf(toBytes(order))).toBeUndefined();
  });
});
