import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencies, currencyExponent } from '../../src/kernel/currency.ts';
import { type Decimal, decimal } from '../../src/kernel/decimal.ts';
import {
  cents,
  fiatValueRoundedHalfUp,
  formatAmount,
  formatMoney,
  maxAmount,
  msatsForSats,
  parseAmount,
  priceTimesQuantity,
  sats,
  satsForFiatRoundedUp,
  variancePercentage,
} from '../../src/kernel/money.ts';

const anyCurrency = fc.constantFrom(...currencies);
// From one unit to 10^12 units for a bitcoin, to the last of twelve decimals.
const anyPrice = fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n }) as fc.Arbitrary<Decimal>;

describe('sats for an amount of fiat', () => {
  test.each([
    // Cents, currency, price, sats
    [1999, 'usd', '100000', 19_990],
    [1999, 'usd', '65000.50', 30_754],
    [500, 'jpy', '15000000', 3334], // C034: 500 yen, not 5
    [1234, 'kwd', '30900', 3994], // 1.234 dinars
    [10_000, 'clf', '2350', 42_554], // four decimals
    [0, 'usd', '100000', 0],
    [1, 'usd', '100000', 10],
    [1, 'usd', '100000000', 1], // C036: a cent below a sat
    [1, 'usd', '2000000', 1], // half a sat
    [1, 'eur', '32894.7368421', 31], // C037: 30.4 sats
    [100, 'usd', '99860.195726', 1002], // C011: 1001.4 sats
  ])('%i minor units of %s at %s are %i sats', (amount, currency, price, expected) => {
    expect(satsForFiatRoundedUp(amount, currency, decimal(price))).toBe(expected);
  });

  test('is right where floating point is not', () => {
    // 0.07 / 70000 * 1e8 is 100.00000000000001 in doubles, which a float ceil turns into 101.
    expect(satsForFiatRoundedUp(7, 'usd', decimal('70000'))).toBe(100);
    expect(satsForFiatRoundedUp(29, 'usd', decimal('29000'))).toBe(1000);
  });

  test('never asks for less than the price, nor for a whole sat more', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 40 }), anyCurrency, anyPrice, (amount, currency, price) => {
        let asked: bigint;
        try {
          asked = BigInt(satsForFiatRoundedUp(amount, currency, price));
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        const owed = BigInt(amount) * 10n ** 20n;
        const perSat = price * 10n ** BigInt(currencyExponent(currency));
        expect(asked * perSat >= owed).toBe(true);
        expect(asked === 0n || (asked - 1n) * perSat < owed).toBe(true);
        expect(asked === 0n).toBe(amount === 0);
      }),
      { numRuns: 500 },
    );
  });

  test('is worth at least the price when turned back', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 7 }), anyCurrency, anyPrice, (amount, currency, price) => {
        const asked = satsForFiatRoundedUp(amount, currency, price);
        const value = fiatValueRoundedHalfUp(asked, currency, price);
        expect(value).toBeGreaterThanOrEqual(amount);
        // Off by the rounding of one sat at most.
        const oneSat = fiatValueRoundedHalfUp(1, currency, price);
        expect(value - amount).toBeLessThanOrEqual(oneSat + 1);
      }),
      { numRuns: 500 },
    );
  });

  test('grows with the amount and falls with the price', () => {
    fc.assert(
      fc.property(fc.nat({ max: 10 ** 7 }), fc.nat({ max: 1000 }), anyPrice, anyPrice, (amount, more, one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const asked = satsForFiatRoundedUp(amount, 'usd', low);
        expect(satsForFiatRoundedUp(amount + more, 'usd', low)).toBeGreaterThanOrEqual(asked);
        expect(satsForFiatRoundedUp(amount, 'usd', high)).toBeLessThanOrEqual(asked);
      }),
    );
  });

  test('refuses what no sats can be computed for', () => {
    const price = decimal('100000');
    for (const amount of [-1, 10.5, Number.NaN, Number.POSITIVE_INFINITY, maxAmount + 1]) {
      expect(() => satsForFiatRoundedUp(amount, 'usd', price)).toThrow(RangeError);
    }
    expect(() => satsForFiatRoundedUp(1, 'usd', decimal('0'))).toThrow(RangeError);
    expect(() => satsForFiatRoundedUp(1, 'xyz', price)).toThrow(RangeError);
    expect(() => satsForFiatRoundedUp(maxAmount, 'usd', decimal('1'))).toThrow(RangeError);
    expect(satsForFiatRoundedUp(maxAmount, 'usd', decimal('1000000'))).toBe(maxAmount);
  });
});

describe('value of sats', () => {
  test.each([
    [30_754, 'usd', '65000.50', 1999],
    [1, 'usd', '500000', 1], // half a cent
    [1, 'usd', '499999.999999', 0],
    [3334, 'jpy', '15000000', 500],
    [3994, 'kwd', '30900', 1234],
    [0, 'usd', '100000', 0],
  ])('%i sats in %s at %s are %i', (amount, currency, price, expected) => {
    expect(fiatValueRoundedHalfUp(amount, currency, decimal(price))).toBe(expected);
  });

  test('refuses a value that no number holds', () => {
    expect(() => fiatValueRoundedHalfUp(maxAmount, 'usd', decimal('100000000'))).toThrow(RangeError);
  });
});

describe('variance', () => {
  test.each([
    [1999, 1999, '0.00'],
    [10_000, 10_025, '0.25'],
    [10_000, 9975, '-0.25'],
    [1000, 1, '-99.90'],
    [1000, 0, '-100.00'],
    [3, 4, '33.33'],
    [3, 5, '66.67'],
    [20_000, 20_001, '0.01'], // 0.005 away from zero
    [20_000, 19_999, '-0.01'],
    [100_000, 99_999, '0.00'], // never -0.00
    [0, 0, '0.00'],
    [0, 5, '0.00'],
    [1, maxAmount, '900719925474099000.00'],
  ])('of %i and %i is %s', (quoted, value, expected) => {
    expect(variancePercentage(quoted, value)).toBe(expected);
  });
});

describe('amounts as text', () => {
  test.each([
    [1234, 'usd', '12.34', '$12.34'],
    [1999, 'usd', '19.99', '$19.99'],
    [5, 'usd', '0.05', '$0.05'],
    [0, 'usd', '0.00', '$0.00'],
    [-5, 'usd', '-0.05', '-$0.05'],
    [500, 'jpy', '500', '¥500'], // C034
    [0, 'jpy', '0', '¥0'],
    [1234, 'kwd', '1.234', 'KWD 1.234'],
    [1234, 'iqd', '1.234', 'IQD 1.234'],
    [12_345, 'clf', '1.2345', 'CLF 1.2345'],
    [123_456_789, 'eur', '1234567.89', '€1,234,567.89'],
    [150_000, 'brl', '1500.00', 'R$1,500.00'],
    [maxAmount, 'usd', '90071992547409.91', '$90,071,992,547,409.91'],
    [maxAmount, 'jpy', '9007199254740991', '¥9,007,199,254,740,991'],
    [maxAmount, 'kwd', '9007199254740.991', 'KWD 9,007,199,254,740.991'],
  ])('%i %s is %s and %s', (amount, currency, plain, money) => {
    expect(formatAmount(amount, currency)).toBe(plain);
    expect(formatMoney(amount, currency)).toBe(money);
  });

  test('loses no digit in any currency', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), anyCurrency, (amount, currency) => {
        expect(parseAmount(formatAmount(amount, currency), currency)).toBe(amount);
        expect(formatMoney(amount, currency).replace(/[^0-9]/g, '')).toBe(
          String(amount).padStart(currencyExponent(currency) + 1, '0'),
        );
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['19.99', 'usd', 1999], // C083: each of these is off by one in floating point somewhere
    ['8.20', 'usd', 820],
    ['4.56', 'usd', 456],
    ['0.29', 'usd', 29],
    ['1.15', 'usd', 115],
    ['5', 'usd', 500],
    ['5.1', 'usd', 510],
    ['500', 'jpy', 500],
    ['1.234', 'kwd', 1234],
    ['90071992547409.91', 'usd', maxAmount],
  ])('reads %s %s as %i', (text, currency, expected) => {
    expect(parseAmount(text, currency)).toBe(expected);
  });

  test.each([
    ['19.999', 'usd'],
    ['500.5', 'jpy'],
    ['-1', 'usd'],
    ['', 'usd'],
    ['1e3', 'usd'],
    ['1,5', 'usd'],
    ['$1', 'usd'],
    ['.5', 'usd'],
    ['90071992547409.92', 'usd'],
    ['99999999999999999', 'usd'],
  ])('refuses %j %s', (text, currency) => {
    expect(parseAmount(text, currency)).toBeUndefined();
  });
});

describe('branded amounts', () => {
  test('hold whole numbers that JSON carries', () => {
    expect(cents(maxAmount)).toBe(maxAmount);
    for (const value of [-1, 0.5, 19.99, Number.NaN, maxAmount + 1]) {
      expect(() => cents(value)).toThrow(RangeError);
      expect(() => sats(value)).toThrow(RangeError);
    }
  });

  test('multiply without losing digits', () => {
    expect(priceTimesQuantity(1999, 3)).toBe(5997);
    expect(priceTimesQuantity(maxAmount, 1)).toBe(maxAmount);
    expect(() => priceTimesQuantity(maxAmount, 2)).toThrow(String(maxAmount));
    expect(() => priceTimesQuantity(2 ** 30, 2 ** 30)).toThrow(RangeError);
    expect(() => priceTimesQuantity(100, 1.5)).toThrow(RangeError);
  });

  test('ask wallets for whole sats (case C011)', () => {
    expect(msatsForSats(21)).toBe(21_000n);
    expect(msatsForSats(maxAmount)).toBe(BigInt(maxAmount) * 1000n);
  });
});
