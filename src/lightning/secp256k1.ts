import {
  isPoint,
  pointFromScalar,
  pointMultiply,
  type RecoveryIdType,
  recover,
  signRecoverable,
  signSchnorr,
  verify,
  verifySchnorr,
  xOnlyPointFromScalar,
} from 'tiny-secp256k1';

/**
 * The one place that does elliptic-curve arithmetic. libsecp256k1 compiled to WASM signs and recovers several times
 * faster than pure JavaScript; tests hold it against @noble/curves.
 */
interface RecoverableSignature {
  /** r then s, 32 bytes each; s is in the lower half of the group order. */
  readonly compact: Uint8Array;
  /** 0 to 3: which of the candidate public keys signed. */
  readonly recoveryId: number;
}

/** Signs a 32-byte digest with a deterministic nonce (RFC 6979). Throws when the key is no valid scalar. */
export function signDigest(digest: Uint8Array, privateKey: Uint8Array): RecoverableSignature {
  const { signature, recoveryId } = signRecoverable(digest, privateKey);
  return { compact: signature, recoveryId };
}

/** The compressed public key that made the signature, high or low S; undefined when there is none. */
export function recoverPublicKey(digest: Uint8Array, compact: Uint8Array, recoveryId: number): Uint8Array | undefined {
  if (recoveryId !== 0 && recoveryId !== 1 && recoveryId !== 2 && recoveryId !== 3) return undefined;
  try {
    return recover(digest, compact, recoveryId satisfies RecoveryIdType, true) ?? undefined;
  } catch {
    // The library throws for an r or s outside the group order, which for us is just one more bad signature.
    return undefined;
  }
}

/** True when the signature is good for this key and its S is low; a malleated (high-S) twin is not accepted. */
export function verifyDigest(digest: Uint8Array, publicKey: Uint8Array, compact: Uint8Array): boolean {
  if (!isPoint(publicKey)) return false;
  try {
    return verify(digest, publicKey, compact, true);
  } catch {
    return false;
  }
}

/** Compressed public key of a private key; undefined when the 32 bytes are zero or not below the group order. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array | undefined {
  try {
    return pointFromScalar(privateKey, true) ?? undefined;
  } catch {
    return undefined;
  }
}

/** BIP 340 signature of a 32-byte digest. `randomness` is 32 fresh bytes. */
export function signDigestBip340(digest: Uint8Array, privateKey: Uint8Array, randomness: Uint8Array): Uint8Array {
  return signSchnorr(digest, privateKey, randomness);
}

/** @param publicKey the x coordinate alone, 32 bytes. */
export function verifyDigestBip340(digest: Uint8Array, publicKey: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySchnorr(digest, publicKey, signature);
  } catch {
    return false;
  }
}

/** The x coordinate of a private key's public key, as BIP 340 and Nostr name keys. Throws for a bad key. */
export function xOnlyPublicKeyOf(privateKey: Uint8Array): Uint8Array {
  return xOnlyPointFromScalar(privateKey);
}

/** The x coordinate of the secret that two keys share (ECDH); undefined when the public key is no point. */
export function sharedSecretX(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  try {
    return pointMultiply(Buffer.concat([Buffer.of(2), publicKey]), privateKey, true)?.subarray(1);
  } catch {
    return undefined;
  }
}
