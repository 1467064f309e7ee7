import { describe, expect, test } from 'vitest';
import { hashRecoveryCode, newRecoveryCode } from '../../src/auth/recovery-code.ts';
import { newTotpSecret, stepOfCode, totpAddress } from '../../src/auth/totp.ts';

// RFC 6238, appendix B: the ASCII text 12345678901234567890, and the last six of the eight digits of each SHA-1 value.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes of an app', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %i it is %s, and counts a step earlier and later too', (second, code) => {
    const step = Math.floor(second / 30);
    for (const [offset, expected] of [
      [-2, undefined],
      [-1, step],
      [0, step],
      [1, step],
      [2, undefined],
    ] as const) {
      expect([offset, stepOfCode(secret, code, new Date((second + offset * 30) * 1000))]).toEqual([offset, expected]);
    }
  });

  test('an app is told all it needs; no two secrets are alike', () => {
    const url = new URL(totpAddress(secret, 'Satline pay.example.com', 'ada+tills@example.com'));
    expect([url.protocol, decodeURIComponent(url.pathname)]).toEqual([
      'otpauth:',
      expect.stringContaining('Satline pay.example.com:ada+tills@example.com'),
    ]);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      secret,
      digits: '6',
      period: '30',
      algorithm: 'SHA1',
    });
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(newTotpSecret());
  });
});

test('recovery codes may be typed with blanks, dashes and capitals', () => {
  const code = newRecoveryCode();
  expect(code).toMatch(/^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/);
  const hash = hashRecoveryCode(code)!;
  for (const typed of [code.toUpperCase(), code.replaceAll('-', ''), ` ${code.replaceAll('-', ' ')} `]) {
    expect(hashRecoveryCode(typed)?.equals(hash)).toBe(true);
  }
  for (const typed of ['', '123456', `${code}a`, code.slice(1)]) expect(hashRecoveryCode(typed)).toBeUndefined();
});
