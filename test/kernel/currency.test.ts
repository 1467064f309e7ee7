import { describe, expect, test } from 'vitest';
import { currencies, currencyExponent, isCurrency, parseCurrency } from '../../src/kernel/currency.ts';

describe('currency codes', () => {
  test.each([
    ['usd', 2],
    ['eur', 2],
    ['jpy', 0],
    ['krw', 0],
    ['vnd', 0],
    ['isk', 0],
    ['xaf', 0],
    ['kwd', 3],
    ['bhd', 3],
    ['tnd', 3],
    ['iqd', 3],
    ['clf', 4],
    ['uyw', 4],
    ['mga', 2],
    ['huf', 2],
  ])('%s has %i decimals', (code, exponent) => {
    expect(currencyExponent(code)).toBe(exponent);
  });

  test('reads codes in any case and answers lower case (case C128)', () => {
    for (const text of ['EUR', 'eur', 'Eur']) expect(parseCurrency(text)).toBe('eur');
  });

  test.each(['xau', 'xag', 'xts', 'xxx', 'xdr', 'xba', 'hrk', 'bgn', 'zwl', 'btc', 'sat', 'xyz'])(
    'knows no %s',
    (code) => {
      expect(parseCurrency(code)).toBeUndefined();
      expect(isCurrency(code)).toBe(false);
    },
  );

  test.each(['', 'us', 'usdt', ' usd', 'usd\n', '$', 'us\0', '\u212Awd', 'constructor', '840'])(
    'refuses %j',
    (text) => {
      expect(parseCurrency(text)).toBeUndefined();
    },
  );

  test('tells only lower-case codes as the form kept inside', () => {
    expect(isCurrency('usd')).toBe(true);
    expect(isCurrency('USD')).toBe(false);
    expect(() => currencyExponent('USD')).toThrow(RangeError);
    expect(() => currencyExponent('xyz')).toThrow(RangeError);
  });

  test('has every code once', () => {
    expect(new Set(currencies).size).toBe(currencies.length);
    expect(currencies.length).toBe(165);
    expect(currencies.every((code) => /^[a-z]{3}$/.test(code))).toBe(true);
  });
});
