import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';

const formatVersion = 1;
const keyIdBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const headerBytes = 1 + keyIdBytes + nonceBytes;

/** A value that must not be printed. Logging, JSON and string concatenation all show `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}

/** Where a sealed value lives. It is authenticated with the value, so a ciphertext moved to another row does not open. */
export interface SealedPlace {
  readonly table: string;
  readonly column: string;
  readonly row: string;
}

/** Seals values at rest with AES-256-GCM, under a key of its own for each table and column (HKDF, RFC 5869). */
export interface Seal {
  /** Of the secrets key that values are sealed under, as `secretsKeyId` tells it. */
  readonly keyId: string;
  seal(plain: string | Uint8Array, place: SealedPlace): Buffer;
  /** @throws {Error} when the value was sealed under a key that is not at hand, moved, or damaged. */
  open(sealed: Uint8Array, place: SealedPlace): Buffer;
}

export interface Sealer extends Seal {
  /** A key for another purpose (signing, simulated nodes), bound to `purpose`; it outlives the secrets key. */
  deriveKey(purpose: string): Buffer;
}

/**
 * @param current seals and opens. @param previous open what was sealed under them; both 32 bytes each.
 * @throws {RangeError} when a key has another length.
 */
export function createSeal(current: Buffer, previous: readonly Buffer[] = []): Seal {
  const openers = new Map([...previous, current].map((key) => [secretsKeyId(key), rememberDerived(key)]));
  const keyId = secretsKeyId(current);
  const header = Buffer.concat([Buffer.of(formatVersion), Buffer.from(keyId, 'hex')]);
  const keyOf = openers.get(keyId)!;

  function seal(plain: string | Uint8Array, place: SealedPlace): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', keyOf(sealingPurpose(place)), nonce);
    cipher.setAAD(Buffer.from(placeText(place)));
    const body = Buffer.concat([cipher.update(Buffer.from(plain as string)), cipher.final()]);
    return Buffer.concat([header, nonce, body, cipher.getAuthTag()]);
  }

  function open(sealed: Uint8Array, place: SealedPlace): Buffer {
    const bytes = Buffer.from(sealed);
    const id = sealedUnder(bytes);
    if (id === undefined) throw new Error(`The sealed value in ${place.table}.${place.column} has an unknown format`);
    const opener = openers.get(id);
    if (!opener) throw new Error(`The sealed value in ${place.table}.${place.column} belongs to another secrets key`);
    const nonce = bytes.subarray(1 + keyIdBytes, headerBytes);
    const decipher = createDecipheriv('aes-256-gcm', opener(sealingPurpose(place)), nonce);
    decipher.setAAD(Buffer.from(placeText(place)));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(headerBytes, bytes.length - tagBytes)), decipher.final()]);
  }

  return { keyId, seal, open };
}

/** @param installationSecret what keys for other purposes follow from, 32 bytes. */
export function createSealer(seal: Seal, installationSecret: Buffer): Sealer {
  requireKeyLength(installationSecret);
  // Not remembered: purposes are as many as there are wallets.
  return { ...seal, deriveKey: (purpose) => derive(installationSecret, purpose) };
}

/** Tells secrets keys apart without showing anything of them: eight hex digits, which every sealed value bears. */
export function secretsKeyId(key: Buffer): string {
  return createHash('sha256').update('satline key id').update(key).digest().subarray(0, keyIdBytes).toString('hex');
}

/** The id of the key that a value is sealed under; undefined for what is no sealed value. */
export function sealedUnder(sealed: Uint8Array): string | undefined {
  if (sealed.length < headerBytes + tagBytes || sealed[0] !== formatVersion) return undefined;
  return Buffer.from(sealed.subarray(1, 1 + keyIdBytes)).toString('hex');
}

/** Derives each key once: tables and columns are few, and values are sealed and opened all the time. */
function rememberDerived(key: Buffer): (purpose: string) => Buffer {
  requireKeyLength(key);
  const derived = new Map<string, Buffer>();
  return (purpose) => {
    const known = derived.get(purpose) ?? derive(key, purpose);
    derived.set(purpose, known);
    return known;
  };
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, 'satline', purpose, 32));
}

function requireKeyLength(key: Buffer): void {
  if (key.length !== 32) throw new RangeError('A key must be exactly 32 bytes');
}

function sealingPurpose({ table, column }: SealedPlace): string {
  return `seal:${table}.${column}`;
}

function placeText(place: SealedPlace): string {
  return `${place.table}/${place.column}/${place.row}`;
}

/** SHA-256 as lower-case hex; how API keys and tokens are stored. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
