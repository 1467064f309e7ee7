import { parseCurrency } from '../kernel/currency.ts';
import { parseDecimal } from '../kernel/decimal.ts';
import { isJsonObject } from '../kernel/json-object.ts';
import type { HttpGet, RateSource } from './rate.ts';

/** Where a source is asked unless configuration names another address. Every one of them is free and needs no key. */
export const defaultAddresses = {
  coinbase: 'https://api.coinbase.com/v2/exchange-rates?currency=BTC',
  kraken: 'https://api.kraken.com/0/public/Ticker?pair=XBTUSD,XBTEUR,XBTGBP,XBTCAD,XBTCHF,XBTAUD,XBTJPY',
  bitstamp: 'https://www.bitstamp.net/api/v2/ticker/',
  mempool: 'https://mempool.space/api/v1/prices',
} as const;

export type MarketName = keyof typeof defaultAddresses;

/** The source called `name`, asked at `url`. */
export function openSource(name: MarketName, url: string, get: HttpGet): RateSource {
  const read = readers[name];
  return { name, fetch: (signal) => read(url, signal, get) };
}

type Reader = (url: string, signal: AbortSignal, get: HttpGet) => Promise<Record<string, string>>;

const readers: Record<MarketName, Reader> = {
  async coinbase(url, signal, get) {
    const data = member(await getJson(url, signal, get), 'data');
    // The address is configurable, and the same path prices any other coin.
    const base = member(data, 'currency');
    if (base !== undefined && base !== 'BTC') throw new Error('prices of something that is not BTC');
    // Fiat and coins stand in one list. Coins get longer names where they would clash (MNT is the tugrik, MANTLE the
    // coin), except this one: ERN is Ethernity there, not the nakfa (ACINQ/phoenix#676; so still in August 2026).
    const prices = entries(member(data, 'rates')).filter(([code]) => code !== 'ERN');
    return pricesFromText(prices);
  },

  async kraken(url, signal, get) {
    const answer = await getJson(url, signal, get);
    // Faults come with status 200 and this list filled.
    const errors = member(answer, 'error');
    if (Array.isArray(errors) && errors.length > 0) throw new Error(`error ${JSON.stringify(errors).slice(0, 200)}`);
    // Old pairs carry asset classes (XXBTZUSD), new ones don't (XBTCHF). `c` is the last trade: price and volume.
    const prices = entries(member(answer, 'result')).map(([pair, ticker]): [string, unknown] => {
      const lastTrade = member(ticker, 'c');
      return [/^X?XBTZ?([A-Z]{3})$/.exec(pair)?.[1] ?? '', Array.isArray(lastTrade) ? lastTrade[0] : undefined];
    });
    return pricesFromText(prices);
  },

  async bitstamp(url, signal, get) {
    const ask = async (code: string): Promise<[string, unknown]> => {
      const ticker = await getJson(`${url.replace(/\/*$/, '')}/btc${code.toLowerCase()}/`, signal, get);
      return [code, member(ticker, 'last')];
    };
    const [dollar, ...others] = await Promise.allSettled(['USD', 'EUR', 'GBP'].map(ask));
    if (dollar?.status !== 'fulfilled') throw dollar?.reason;
    const prices = others.flatMap((other) => (other.status === 'fulfilled' ? [other.value] : []));
    return pricesFromText([dollar.value, ...prices]);
  },

  async mempool(url, signal, get) {
    // Numbers here, not strings. A number that JSON could carry prints as digits that read back the same.
    const prices = entries(await getJson(url, signal, get));
    return pricesFromText(prices.map(([code, price]) => [code, typeof price === 'number' ? String(price) : undefined]));
  },
};

async function getJson(url: string, signal: AbortSignal, get: HttpGet): Promise<unknown> {
  const { status, body } = await get(url, signal);
  if (status !== 200) throw new Error(`HTTP status ${status}`);
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    // JSON.parse would quote the text, and an error page is no use in a log.
    throw new Error('an answer that is not JSON');
  }
}

/**
 * Keeps what is a currency with a plain decimal above zero as its price: no zero, sign, NaN or word, and nothing of
 * another JSON type, since a source that changes its types may have changed its meaning as well. One bad price costs
 * only its currency, but without dollars the rest has no anchor and the answer counts for nothing.
 */
function pricesFromText(given: readonly (readonly [code: string, price: unknown])[]): Record<string, string> {
  const prices: Record<string, string> = {};
  for (const [code, price] of given) {
    const currency = parseCurrency(code);
    if (currency === undefined || typeof price !== 'string') continue;
    const value = parseDecimal(price);
    if (value !== undefined && value > 0n) prices[currency] = price;
  }
  if (prices.usd === undefined) throw new Error('no usable price in USD');
  return prices;
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}
