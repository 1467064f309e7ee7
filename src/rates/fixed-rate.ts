import type { Clock } from '../kernel/clock.ts';
import { currencies } from '../kernel/currency.ts';
import { type Decimal, decimal, decimalOne, scaleDecimal } from '../kernel/decimal.ts';
import { type ExchangeRate, formatPrice, knownCurrency, type Rates } from './rate.ts';

/**
 * Units of each currency for one dollar: round figures somewhere near the market of 2026. They make amounts in test
 * mode look plausible and are good for nothing else. Every currency has one, so that none behaves differently in tests.
 */
const unitsPerDollar = readTable(`
  aed 3.67 afn 66 all 80 amd 365 aoa 915 ars 1500 aud 1.4 awg 1.8 azn 1.7 bam 1.7 bbd 2 bdt 123 bhd 0.377 bif 3000
  bmd 1 bnd 1.27 bob 12 bov 12 brl 5.2 bsd 1 btn 96 bwp 13.4 byn 3 bzd 2 cad 1.4 cdf 2300 che 0.86 chf 0.8 chw 0.8
  clf 0.0235 clp 925 cny 6.7 cop 3150 cou 8 crc 455 cup 25 cve 95 czk 20.7 djf 178 dkk 6.4 dop 58 dzd 133 egp 50
  ern 15 etb 160 eur 0.86 fjd 2.2 fkp 0.74 gbp 0.74 gel 2.6 ghs 11 gip 0.74 gmd 74 gnf 8800 gtq 7.6 gyd 209 hkd 7.8
  hnl 27 htg 131 huf 315 idr 17700 ils 3 inr 99 iqd 1310 irr 1370000 isk 120 jmd 159 jod 0.709 jpy 159 kes 129 kgs 87
  khr 4050 kmf 423 kpw 900 krw 1380 kwd 0.309 kyd 0.83 kzt 463 lak 22400 lbp 89500 lkr 329 lrd 182 lsl 16 lyd 6.3
  mad 9.3 mdl 17 mga 4300 mkd 53 mmk 2100 mnt 3500 mop 8 mru 40 mur 47 mvr 15.5 mwk 1740 mxn 17 mxv 2 myr 4 mzn 64
  nad 16 ngn 1340 nio 37 nok 9.3 npr 153 nzd 1.7 omr 0.385 pab 1 pen 3.4 pgk 4.4 php 62 pkr 278 pln 3.7 pyg 6000
  qar 3.65 ron 4.5 rsd 101 rub 86 rwf 1470 sar 3.75 sbd 8 scr 14 sdg 600 sek 9.5 sgd 1.27 shp 0.74 sle 23 sos 571
  srd 38 ssp 130 stn 21 svc 8.75 syp 110 szl 16 thb 33 tjs 9.2 tmt 3.5 tnd 2.9 top 2.4 try 48 ttd 6.8 twd 32 tzs 2650
  uah 45 ugx 3750 usd 1 usn 1 uyi 6.3 uyu 40 uyw 0.022 uzs 11800 ved 790 ves 790 vnd 26000 vuv 116 wst 2.75 xad 0.24
  xaf 563 xcd 2.7 xcg 1.79 xof 563 xpf 102 yer 237 zar 16 zmw 19 zwg 26`);

/** The price of a bitcoin in dollars in test mode, unless configuration says otherwise. */
const defaultFixedBtcUsd = '100000';

/**
 * Rates that never change, for test mode and for development without a network: one price in dollars, and every other
 * currency by the table above. Source name `fixed`. Throws RangeError unless `btcUsd` is a decimal above zero.
 */
export function createFixedRates(clock: Clock, btcUsd: string = defaultFixedBtcUsd): Rates {
  const dollars = decimal(btcUsd);
  if (dollars === 0n) throw new RangeError('a fixed exchange rate must be above zero');
  const prices: ReadonlyMap<string, string> = new Map(
    currencies.map((currency) => {
      const perDollar = unitsPerDollar.get(currency) ?? decimalOne;
      return [currency, formatPrice(scaleDecimal(dollars, perDollar, decimalOne))];
    }),
  );

  return {
    quote(text): ExchangeRate {
      const currency = knownCurrency(text);
      return {
        btcUsd: prices.get('usd')!,
        btcFiat: prices.get(currency)!,
        currency,
        source: 'fixed',
        fetchedAt: clock.now(),
        stale: false,
      };
    },
    prices: () => Object.fromEntries(prices),
    refresh: async () => {},
    ready: async () => {},
    start() {},
    stop() {},
  };
}

function readTable(text: string): ReadonlyMap<string, Decimal> {
  const words = text.trim().split(/\s+/);
  const pairs = words.flatMap((word, index) => (index % 2 === 0 ? [[word, decimal(words[index + 1]!)] as const] : []));
  return new Map(pairs);
}
