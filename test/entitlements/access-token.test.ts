import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAccessToken, signAccessToken } from '../../src/entitlements/access-token.ts';

const key = Buffer.alloc(32, 1);
const now = new Date('2027-03-01T10:00:00.000Z');
const expiresAt = new Date('2027-03-01T11:00:00.000Z');
const bought = { orderId: 'order', productId: 'product', expiresAt };
const named = { resourceId: 'film-7', resourceType: 'video', expiresAt };

/** A token of any content, signed well. */
function sign(content: string, signedWith = key): string {
  const text = Buffer.from(content).toString('base64');
  return `${text}--${createHmac('sha256', signedWith).update(text).digest('hex')}`;
}
const message = (rails: unknown) => JSON.stringify({ _rails: rails });
const data = { order_id: 'order', product_id: 'product' };

describe('a token', () => {
  test.each([bought, named])('of either kind is read as it was signed: %o', (claims) => {
    expect(readAccessToken(signAccessToken(claims, key), key, now)).toEqual(claims);
  });

  test('has the form of a Rails message', () => {
    const rails = { data: { ...data, exp: 1803898800 }, exp: '2027-03-01T11:00:00.000Z', pur: 'access_token' };
    expect(signAccessToken(bought, key)).toBe(sign(message(rails)));
  });

  test('is over at its moment', () => {
    const token = signAccessToken(bought, key);
    expect(readAccessToken(token, key, new Date(expiresAt.getTime() - 1))).toEqual(bought);
    expect(readAccessToken(token, key, expiresAt)).toBeUndefined();
  });

  test('opens nothing under another key', () => {
    expect(readAccessToken(signAccessToken(bought, key), randomBytes(32), now)).toBeUndefined();
  });
});

test('whatever is changed, left out or put in, nothing is read', () => {
  const token = signAccessToken(bought, key);
  const position = fc.nat(token.length - 1);
  const character = fc.string({ minLength: 1, maxLength: 2, unit: 'binary' });
  const forged = fc.oneof(
    position.map((at) => token.slice(0, at)),
    position.map((at) => token.slice(0, at) + token.slice(at + 1)),
    fc.tuple(position, character).map(([at, text]) => token.slice(0, at) + text + token.slice(at + 1)),
    fc.tuple(position, character).map(([at, text]) => token.slice(0, at) + text + token.slice(at)),
    fc.string({ unit: 'binary', maxLength: 5000 }),
  );
  fc.assert(
    fc.property(forged, (text) => {
      fc.pre(text !== token);
      expect(readAccessToken(text, key, now)).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['another purpose', message({ data, exp: expiresAt.toISOString(), pur: 'login' })],
  ['no purpose', message({ data, exp: expiresAt.toISOString() })],
  ['no end', message({ data, pur: 'access_token' })],
  ['an end that is no date', message({ data, exp: 'never', pur: 'access_token' })],
  ['nothing to open', message({ data: {}, exp: expiresAt.toISOString(), pur: 'access_token' })],
  [
    'ids that are no text',
    message({ data: { order_id: 1, product_id: 2 }, exp: expiresAt.toISOString(), pur: 'access_token' }),
  ],
  ['no Rails message', '{}'],
  ['no object', 'null'],
  ['no JSON', '{'],
])('what is signed well but has %s opens nothing', (_what, content) => {
  expect(readAccessToken(sign(content), key, now)).toBeUndefined();
});

test('the longest is 4,096 characters, checked before anything is computed', () => {
  const long = signAccessToken({ ...named, resourceId: 'x'.repeat(3100) }, key);
  expect(long.length).toBeGreaterThan(4096);
  expect(readAccessToken(long, key, now)).toBeUndefined();
});
