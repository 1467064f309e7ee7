import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A UUIDv7 in lower case (RFC 9562). Made in code because PostgreSQL 15 has no `uuidv7()`. */
export function newId(): string {
  return v7();
}

/** Whether `text` has the shape of a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

/** `length` base62 characters; 22 of them carry 131 random bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    const byte = randomByte();
    // 248 is the largest multiple of 62 below 256: above it the first characters would come up more often.
    if (byte < 248) text += base62[byte % 62];
  }
  return text;
}

const drawn = Buffer.alloc(4096);
let used = drawn.length;

// The system is asked for many bytes at once: asking for each id would be dearer than the rest of making it.
function randomByte(): number {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  return drawn[used++]!;
}

const slugShape = /^[a-z]+_[0-9a-f]{16}$/;

/** A name for public addresses, such as `prod_0123456789abcdef`: 64 random bits behind the prefix. */
export function newSlug(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}

/** Whether `text` has the shape that `newSlug` makes. */
export function isSlug(text: string): boolean {
  return slugShape.test(text);
}

const tokenShape = /^[a-z]+_[0-9A-Za-z]{16,64}$/;

/** Whether `text` has the shape of a secret that is part of an address, such as `cs_…`. */
export function isToken(text: string): boolean {
  return tokenShape.test(text);
}
