import { expect, test } from 'vitest';
import { defaultAddresses } from '../../src/rates/sources.ts';
import { defaultRateSources, parseRateSources } from '../../src/rates/sources-setting.ts';

test('reads names, with their own address where one is given', () => {
  expect(parseRateSources(defaultRateSources)).toEqual({
    kind: 'markets',
    markets: (['coinbase', 'kraken', 'bitstamp'] as const).map((name) => ({ name, url: defaultAddresses[name] })),
  });
  expect(parseRateSources(' kraken , mempool=http://10.0.0.5:8080/api/v1/prices?a=b=c ')).toEqual({
    kind: 'markets',
    markets: [
      { name: 'kraken', url: defaultAddresses.kraken },
      { name: 'mempool', url: 'http://10.0.0.5:8080/api/v1/prices?a=b=c' },
    ],
  });
});

test('reads a fixed price', () => {
  expect(parseRateSources('fixed:65000.50')).toEqual({ kind: 'fixed', btcUsd: '65000.50' });
});

test.each([
  ['', /empty name/],
  ['coinbase,', /empty name/],
  ['coinbase,,kraken', /empty name/],
  ['coinbase,binance', /"binance" is not a source; known are coinbase, kraken, bitstamp, mempool and fixed/],
  ['Coinbase', /"Coinbase" is not a source/],
  ['constructor', /is not a source/],
  ['coinbase,kraken,coinbase=https://x.example', /coinbase twice/],
  ['kraken=', /address of kraken/],
  ['kraken=api.example', /address of kraken/],
  ['kraken=ftp://api.example', /address of kraken/],
  ['kraken=https://api.example/?pair=XBTUSD,XBTEUR', /"XBTEUR" is not a source/],
  ['kraken=https://user:pass@api.example/', /user name or password/],
  ['fixed', /such as fixed:65000.50/],
  ['fixed:', /such as fixed/],
  ['fixed:0', /such as fixed/],
  ['fixed:-1', /such as fixed/],
  ['fixed:65,000', /fixed stands alone/],
  ['fixed=65000', /such as fixed/],
  ['coinbase,fixed:65000', /fixed stands alone/],
])('refuses %j', (text, problem) => {
  expect(() => parseRateSources(text)).toThrow(problem);
  expect(() => parseRateSources(text)).toThrow(/^RATE_SOURCES /);
  expect(() => parseRateSources(text)).not.toThrow(/pass@/);
});
