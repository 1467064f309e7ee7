import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A UUIDv7 in lower case (RFC 9562). Made in code because PostgreSQL 15 has no `uuidv7()`. */
export function newId(): string {
  return v7();
}

export function isUuid(text: string): boolean {
  return uuidShape.test(text);
}

/** `length` base62 characters; 22 of them carry 131 random bits. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 is the largest multiple of 62 below 256: above it the first characters would come up more often.
      if (byte < 248 && text.length < length) text += base62[byte % 62];
    }
  }
  return text;
}

const slugShape = /^[a-z]+_[0-9a-f]{16}$/;

/** A name for public addresses, such as `prod_0123456789abcdef`: 64 random bits behind the prefix. */
export function newSlug(prefix: string): string {
  return `${prefix}_${randomBytes(8).toString('hex')}`;
}

export function isSlug(text: string): boolean {
  return slugShape.test(text);
}
