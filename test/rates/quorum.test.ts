import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addSeconds } from '../../src/kernel/clock.ts';
import { decimal, formatDecimal } from '../../src/kernel/decimal.ts';
import { agreePrices, type SourceReport } from '../../src/rates/quorum.ts';

const noon = new Date('2026-11-28T12:00:00.000Z');

function report(source: string, prices: Record<string, string>, fetchedAt = noon): SourceReport {
  return { source, prices, fetchedAt };
}

/** Reports named a, b, c… with these dollar prices. */
function dollars(...prices: string[]): SourceReport[] {
  return prices.map((usd, index) => report(String.fromCharCode(97 + index), { usd }));
}

function agreed(reports: SourceReport[], currency = 'usd', minimumSources = 2): string | undefined {
  const found = agreePrices(reports, minimumSources).get(currency);
  return found && `${formatDecimal(found.price)} ${found.source}`;
}

describe('agreement on the dollar price', () => {
  test.each([
    [['100', '101'], '100.5 median:a,b'],
    [['101', '100'], '100.5 median:a,b'],
    [['100', '102', '101'], '101 median:a,b,c'],
    [['100', '101', '150'], '100.5 median:a,b'], // outlier dropped
    [['100', '101', '0.0001'], '100.5 median:a,b'],
    [['50', '100', '101', '150'], '100.5 median:b,c'],
    [['100', '103'], '101.5 median:a,b'], // exactly 3 %
    [['100', '103.0001'], undefined], // two that disagree
    [['100', '106'], undefined], // each 2.9 % from a midpoint that nobody quotes
    [['100', '100', '106', '106'], undefined], // two camps
    [['100', '110', '120'], undefined],
    [['100', '100', '106', '106', '106'], '106 median:c,d,e'],
    [['100'], undefined],
    [[], undefined],
  ] as [string[], string | undefined][])('of %j is %s', (prices, expected) => {
    expect(agreed(dollars(...prices))).toBe(expected);
  });

  test('counts no price that is none', () => {
    for (const usd of ['0', '-100', 'NaN', '', 'abc', '1e-20']) {
      expect(agreed(dollars('100', usd))).toBeUndefined();
      expect(agreed(dollars('100', usd, '101'))).toBe('100.5 median:a,c');
    }
  });

  test('needs as many sources as asked for', () => {
    expect(agreed(dollars('100'), 'usd', 1)).toBe('100 median:a');
    expect(agreed(dollars('100', '101'), 'usd', 3)).toBeUndefined();
    expect(agreed(dollars('100', '120'), 'usd', 1)).toBeUndefined();
  });

  test('lies among the quotes and moves with their scale, in whatever order they come', () => {
    const price = fc.integer({ min: 1, max: 10 ** 9 });
    fc.assert(
      fc.property(fc.array(price, { minLength: 2, maxLength: 6 }), fc.constantFrom(1, 10, 1000), (prices, scale) => {
        const found = agreePrices(dollars(...prices.map(String)), 2).get('usd');
        const reversed = agreePrices(dollars(...prices.toReversed().map((value) => String(value * scale))), 2).get(
          'usd',
        );
        expect(reversed?.price).toBe(found && found.price * BigInt(scale));
        if (!found) return;
        const near = prices.filter((value) => {
          const distance = decimal(String(value)) - found.price;
          return (distance < 0n ? -distance : distance) * 100n <= found.price * 4n;
        });
        expect(near.length).toBeGreaterThanOrEqual(2);
        expect(found.price >= decimal(String(Math.min(...near)))).toBe(true);
        expect(found.price <= decimal(String(Math.max(...near)))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('cannot be moved beyond the others by one source', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (rogue) => {
        const found = agreePrices(dollars('100000', '101000', '102000', String(rogue)), 2).get('usd');
        expect(found !== undefined && found.price >= decimal('100000') && found.price <= decimal('102000')).toBe(true);
      }),
    );
  });
});

describe('other currencies', () => {
  test('are agreed on like the dollar where enough sources quote them', () => {
    const reports = [
      report('coinbase', { usd: '100', eur: '90' }),
      report('kraken', { usd: '102', eur: '92' }),
      report('bitstamp', { usd: '101' }),
    ];
    expect(agreed(reports, 'eur')).toBe('91 median:coinbase,kraken');
  });

  test('have no price when their sources disagree, though the dollar has one', () => {
    const reports = [report('a', { usd: '100', eur: '90' }), report('b', { usd: '100', eur: '99' })];
    expect(agreed(reports, 'usd')).toBe('100 median:a,b');
    expect(agreed(reports, 'eur')).toBeUndefined();
  });

  test('are crossed over the agreed dollar price where one source alone quotes them', () => {
    // Coinbase has 5 brl for a dollar; bitcoin is agreed to be 102 dollars, not its own 100.
    const reports = [
      report('coinbase', { usd: '100', brl: '500' }),
      report('kraken', { usd: '104' }),
      report('x', { usd: '102' }),
    ];
    expect(agreed(reports, 'brl')).toBe('510 median:coinbase,kraken,x cross:coinbase');
  });

  test('are not crossed from a source that is wrong about the dollar', () => {
    const reports = [report('a', { usd: '150', brl: '750' }), report('b', { usd: '100' }), report('c', { usd: '100' })];
    expect(agreed(reports, 'usd')).toBe('100 median:b,c');
    expect(agreed(reports, 'brl')).toBeUndefined();
  });

  test('have no price without a dollar price', () => {
    const reports = [report('a', { usd: '100', eur: '90' }), report('b', { usd: '150', eur: '90' })];
    expect(agreePrices(reports, 2).size).toBe(0);
  });

  test('leave out what is no currency', () => {
    const odd = { usd: '100', USD: '1', xau: '2', btc: '1' };
    expect([...agreePrices([report('a', odd), report('b', odd)], 2).keys()]).toEqual(['usd']);
  });
});

test('is as old as the oldest report used', () => {
  const reports = [
    report('a', { usd: '100', brl: '500' }, addSeconds(noon, -10)),
    report('b', { usd: '100' }, addSeconds(noon, -40)),
    report('c', { usd: '900' }, addSeconds(noon, -50)),
  ];
  const found = agreePrices(reports, 2);
  expect(found.get('usd')?.fetchedAt).toEqual(addSeconds(noon, -40));
  expect(found.get('brl')?.fetchedAt).toEqual(addSeconds(noon, -40));
});
