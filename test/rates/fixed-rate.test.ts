import { expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { currencies } from '../../src/kernel/currency.ts';
import { decimal } from '../../src/kernel/decimal.ts';
import { satsForFiatRoundedUp } from '../../src/kernel/money.ts';
import { createFixedRates } from '../../src/rates/fixed-rate.ts';

const noon = new Date('2026-11-28T12:00:00.000Z');

test('is a hundred thousand dollars unless told otherwise', async () => {
  const rates = createFixedRates(new ManualClock(noon));
  await rates.ready();
  expect(rates.quote('USD')).toEqual({
    btcUsd: '100000.00',
    btcFiat: '100000.00',
    currency: 'usd',
    source: 'fixed',
    fetchedAt: noon,
    stale: false,
  });
  expect(rates.quote('jpy').btcFiat).toBe('15900000.00');
  expect(createFixedRates(new ManualClock(), '65000.50').quote('eur')).toMatchObject({
    btcUsd: '65000.50',
    btcFiat: '55900.43',
  });
});

test('has a price for every currency, of its own', () => {
  const rates = createFixedRates(new ManualClock(noon));
  const prices = rates.prices();
  expect(Object.keys(prices)).toEqual(currencies);
  for (const currency of currencies) {
    expect(satsForFiatRoundedUp(1_000_000, currency, decimal(rates.quote(currency).btcFiat))).toBeGreaterThan(0);
  }
  // Nobody was left to the figure of the dollar by a slip in the table.
  const pegged = currencies.filter((currency) => prices[currency] === '100000.00');
  expect(pegged).toEqual(['bmd', 'bsd', 'pab', 'usd', 'usn']);
});

test('refuses what is no currency and what is no price', () => {
  const clock = new ManualClock();
  expect(() => createFixedRates(clock).quote('xyz')).toThrow('Validation failed');
  for (const price of ['0', '-1', 'abc', '']) expect(() => createFixedRates(clock, price)).toThrow(RangeError);
});
