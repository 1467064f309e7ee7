import { parseDecimal } from '../kernel/decimal.ts';
import { defaultAddresses, type MarketName } from './sources.ts';

/** What `RATE_SOURCES` asks for: one fixed price, or markets to be asked at these addresses. */
export type RateSourcesSetting =
  | { readonly kind: 'fixed'; readonly btcUsd: string }
  | { readonly kind: 'markets'; readonly markets: readonly { readonly name: MarketName; readonly url: string }[] };

export const defaultRateSources = 'coinbase,kraken,bitstamp';

/**
 * Reads `RATE_SOURCES`: names with commas between them, each with an address of its own if wanted
 * (`coinbase,kraken,mempool=https://mempool.example/api/v1/prices`), or `fixed:` and the price of a bitcoin in dollars
 * (`fixed:65000.50`). A comma within an address is written `%2C`. Throws an Error that says what to put right.
 */
export function parseRateSources(text: string): RateSourcesSetting {
  const parts = text.split(',').map((part) => part.trim());
  const fixed = parts.find((part) => /^fixed\b/.test(part));
  if (fixed !== undefined) {
    if (parts.length > 1) fail('fixed stands alone, it cannot be mixed with markets');
    return { kind: 'fixed', btcUsd: fixedPrice(fixed) };
  }

  const markets = parts.map((part) => {
    if (part === '') fail('has an empty name');
    const [name = '', ...rest] = part.split('=');
    if (!isMarketName(name)) {
      fail(`${JSON.stringify(name)} is not a source; known are ${Object.keys(defaultAddresses).join(', ')} and fixed`);
    }
    return { name, url: rest.length === 0 ? defaultAddresses[name] : address(name, rest.join('=')) };
  });
  // The same source twice would agree with itself.
  const repeated = markets.find(({ name }, index) => markets.findIndex((other) => other.name === name) < index);
  if (repeated) fail(`names ${repeated.name} twice`);
  if (markets.length < 2) fail('names one source, but two must agree on a price; name another');
  return { kind: 'markets', markets };
}

function fixedPrice(part: string): string {
  const price = part.slice('fixed:'.length);
  // Zero is refused with what is no number.
  if (!part.startsWith('fixed:') || !parseDecimal(price)) {
    fail('fixed takes the price of a bitcoin in dollars, such as fixed:65000.50');
  }
  return price;
}

function address(name: MarketName, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    fail(`the address of ${name} is not an http or https URL`);
  }
  // They would end up in logs.
  if (url.username !== '' || url.password !== '') fail(`the address of ${name} must not carry a user name or password`);
  return url.href;
}

function isMarketName(name: string): name is MarketName {
  return Object.hasOwn(defaultAddresses, name);
}

function fail(problem: string): never {
  throw new Error(`RATE_SOURCES ${problem}`);
}
