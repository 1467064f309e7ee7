import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isEmailAddress } from '../../src/kernel/email.ts';

describe('addresses', () => {
  test.each([
    'a@b.co',
    'A@B.CO',
    'a+tag@b.co',
    'first.last@sub.example.co.uk',
    'a@exämple.de',
    'дмитрий@пример.рф',
    "o'brien@example.com",
    '!#$%&*/=?^_`{|}~-@example.com',
    'a@1.2',
    'a@xn--exmple-cua.de',
    `${'a'.repeat(64)}@b.co`,
    `a@${'b'.repeat(63)}.co`,
  ])('%s is one', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });

  test.each([
    '',
    'a',
    '@',
    'a@',
    '@b.co',
    'a@b',
    'a@b.',
    'a@.co',
    'a@b..co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.de',
    'a b@c.de',
    ' a@b.co',
    'a@b.co ',
    'a@b.co\r\nBcc: x@y.z',
    'a@b.co\n',
    'a\u0000@b.co',
    'a\u001b[31m@b.co',
    'a\u202eb@c.de',
    'a\u200b@b.co',
    'a@b@c.de',
    '"a"@b.co',
    'a@[127.0.0.1]',
    'a@-b.co',
    'a@b-.co',
    'a@b_c.co',
    'Name <a@b.co>',
    'a,b@c.de',
    `${'a'.repeat(65)}@b.co`,
    `a@${'b'.repeat(64)}.co`,
    `a@${'b.'.repeat(130)}co`,
  ])('%j is none', (text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});

describe('properties', () => {
  test('addresses as the standards make them are taken', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        expect(isEmailAddress(address), address).toBe(true);
      }),
    );
  });

  test('whatever is taken could not end a header line or name a second address', () => {
    const near = fc.array(fc.constantFrom('a', 'b', '.', '@', ' ', '\r', '\n', ',', '<', '>', '\u0000', 'é', '-'), {
      minLength: 3,
      maxLength: 12,
    });
    fc.assert(
      fc.property(near, (characters) => {
        const text = characters.join('');
        if (!isEmailAddress(text)) return;
        expect(text).not.toMatch(/[\s<>,\u0000]/);
        expect(text.split('@')).toHaveLength(2);
        expect(text).not.toContain('..');
      }),
      { numRuns: 1000 },
    );
  });

  test('long texts are answered at once', () => {
    const started = performance.now();
    for (const text of ['a'.repeat(1e6), `${'a.'.repeat(5e5)}@b.co`, `a@${'-'.repeat(1e6)}`, '@'.repeat(1e6)]) {
      expect(isEmailAddress(text)).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(500);
  });
});
