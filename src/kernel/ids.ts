import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Below every other UUID, and nobody's (RFC 9562). */
export const nilUuid = '00000000-0000-0000-0000-000000000000';
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const legible = 'abcdefghjkmnpqrstuvwxyz23456789';

let lastMillis = 0;
let sequence = 0;

/**
 * A UUIDv7 in lower case (RFC 9562), above all that this process made before. Made in code because PostgreSQL 15 has no
 * `uuidv7()`.
 */
export function newId(): string {
  const now = Date.now();
  const random = drawBytes(16);
  if (now > lastMillis) {
    lastMillis = now;
    // Below half of the 32 bits it has room to rise, however many are made in this millisecond.
    sequence = random.readUInt32BE() >>> 1;
  } else sequence++;
  return v7({ msecs: lastMillis, seq: sequence, random });
}

/** Whether `text` has the shape of a UUID of any version, in either case. */
export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

/** `length` base62 characters; 22 of them carry 131 random bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of drawBytes(length - text.length)) {
      // 248 is the largest multiple of 62 below 256: above it the first characters would come up more often.
      if (byte < 248) text += base62[byte % 62];
    }
  }
  return text;
}

/** `length` letters and digits that nobody mixes up, for people to type; 20 of them carry 99 random bits. */
export function randomLegible(length: number): string {
  let text = '';
  while (text.length < length) {
    // There are 31 of them: the last of 32 values is none, and another is drawn.
    for (const byte of drawBytes(length - text.length)) text += legible[byte & 31] ?? '';
  }
  return text;
}

const drawn = Buffer.alloc(4096);
let used = drawn.length;

/**
 * Random bytes for use at once. The system is asked for many together: asking for each id would be dearer than the rest
 * of making it.
 * @param count at most 4096.
 */
function drawBytes(count: number): Buffer {
  if (used + count > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += count;
  return drawn.subarray(used - count, used);
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
