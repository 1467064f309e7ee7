import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Decimal,
  decimal,
  divideRoundedHalfUp,
  divideRoundedUp,
  formatDecimal,
  parseDecimal,
  roundDecimalHalfUp,
  scaleDecimal,
} from '../../src/kernel/decimal.ts';

describe('decimals', () => {
  test.each([
    ['0', '0'],
    ['1', '1'],
    ['65000.50', '65000.5'],
    ['000.5', '0.5'],
    ['1e3', '1000'],
    ['6.50005e4', '65000.5'],
    ['1.5E+2', '150'],
    ['15e-1', '1.5'],
    ['1e-12', '0.000000000001'],
    ['1e-13', '0'],
    ['402.542725000000010961', '402.542725'],
    ['0.9999999999999999', '0.999999999999'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('reads %s as %s', (text, plain) => {
    expect(formatDecimal(parseDecimal(text)!)).toBe(plain);
  });

  test.each([
    ...[
      '',
      ' ',
      '-1',
      '+1',
      '-0',
      'NaN',
      'Infinity',
      'null',
      'abc',
      '0x10',
      '0b1',
      '1_000',
      '1,000',
      '1.',
      '.5',
      '1.2.3',
    ],
    ...[' 1', '1 ', '1\n', '1e', 'e5', '1e1.5', '1e999', '1e999999999', '١٢', '<html>', '1n', '$1', '9'.repeat(65)],
  ])('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
    expect(() => decimal(text)).toThrow(RangeError);
  });

  test('prints as many decimals as asked for', () => {
    expect(formatDecimal(decimal('100000'), 2)).toBe('100000.00');
    expect(formatDecimal(decimal('1.2345'), 2)).toBe('1.2345');
  });

  test('rounds halves up', () => {
    expect(formatDecimal(roundDecimalHalfUp(decimal('1.00005'), 4))).toBe('1.0001');
    expect(formatDecimal(roundDecimalHalfUp(decimal('1.000049999999'), 4))).toBe('1');
    expect(formatDecimal(scaleDecimal(decimal('2'), decimal('1'), decimal('3')))).toBe('0.666666666667');
  });

  test('reads back what it prints', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 12 }), (value, digits) => {
        expect(parseDecimal(formatDecimal(value as Decimal, digits))).toBe(value);
      }),
    );
  });

  test('reads every number that JavaScript prints', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e21, noNaN: true }), (value) => {
        const read = Number(formatDecimal(parseDecimal(String(value))!));
        expect(Math.abs(read - value)).toBeLessThanOrEqual(1e-12 + value * 1e-15);
      }),
    );
  });

  test('divides to the side it says', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 1n, max: 10n ** 20n }), (a, b) => {
        const up = divideRoundedUp(a, b);
        expect(up * b >= a && (up === 0n || (up - 1n) * b < a)).toBe(true);
        const near = divideRoundedHalfUp(a, b);
        const twice = 2n * (a - near * b);
        expect(twice >= -b && twice < b).toBe(true);
      }),
    );
  });
});
