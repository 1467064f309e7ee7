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
export interface Sealer {
  seal(plain: string | Uint8Array, place: SealedPlace): Buffer;
  /** @throws {Error} when the value was sealed under another key, moved, or damaged. */
  open(sealed: Uint8Array, place: SealedPlace): Buffer;
  /** A key for another purpose (signing, simulated nodes), bound to `purpose` and nothing else. */
  deriveKey(purpose: string): Buffer;
}

/** @param masterKey 32 bytes, from `SECRETS_KEY` or `DATA_DIR/secrets.key`. */
export function createSealer(masterKey: Buffer): Sealer {
  if (masterKey.length !== 32) throw new RangeError('The secrets key must be exactly 32 bytes');
  const keyId = createHash('sha256').update('satline key id').update(masterKey).digest().subarray(0, keyIdBytes);
  const derived = new Map<string, Buffer>();

  function deriveKey(purpose: string): Buffer {
    let key = derived.get(purpose);
    if (!key) {
      key = Buffer.from(hkdfSync('sha256', masterKey, 'satline', purpose, 32));
      derived.set(purpose, key);
    }
    return key;
  }

  function seal(plain: string | Uint8Array, place: SealedPlace): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', deriveKey(`seal:${place.table}.${place.column}`), nonce);
    cipher.setAAD(Buffer.from(placeText(place)));
    const body = Buffer.concat([cipher.update(Buffer.from(plain as string)), cipher.final()]);
    return Buffer.concat([Buffer.of(formatVersion), keyId, nonce, body, cipher.getAuthTag()]);
  }

  function open(sealed: Uint8Array, place: SealedPlace): Buffer {
    const bytes = Buffer.from(sealed);
    if (bytes.length < headerBytes + tagBytes || bytes[0] !== formatVersion) {
      throw new Error(`The sealed value in ${place.table}.${place.column} has an unknown format`);
    }
    if (!bytes.subarray(1, 1 + keyIdBytes).equals(keyId)) {
      throw new Error(`The sealed value in ${place.table}.${place.column} belongs to another secrets key`);
    }
    const nonce = bytes.subarray(1 + keyIdBytes, headerBytes);
    const decipher = createDecipheriv('aes-256-gcm', deriveKey(`seal:${place.table}.${place.column}`), nonce);
    decipher.setAAD(Buffer.from(placeText(place)));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(headerBytes, bytes.length - tagBytes)), decipher.final()]);
  }

  return { seal, open, deriveKey };
}

function placeText(place: SealedPlace): string {
  return `${place.table}/${place.column}/${place.row}`;
}

/** SHA-256 as lower-case hex; how API keys and tokens are stored. */
export function sha256Hex(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
