import { parseCurrency } from '../kernel/currency.ts';
import { type Decimal, formatDecimal, roundDecimalHalfUp } from '../kernel/decimal.ts';
import { invalid } from '../kernel/errors.ts';

/** What an amount is converted with, and where it came from. Prices are decimal strings, for one bitcoin. */
export interface ExchangeRate {
  readonly btcUsd: string;
  /** In units (not minor units) of `currency`. */
  readonly btcFiat: string;
  /** Lower-case ISO 4217 code. */
  readonly currency: string;
  /** `median:coinbase,kraken`, `median:coinbase,kraken cross:coinbase`, or `fixed`. */
  readonly source: string;
  /** When the oldest of the prices in it was asked for. */
  readonly fetchedAt: Date;
  /** Older than a minute: still used, but the sources have not been heard since. */
  readonly stale: boolean;
}

/** A place that quotes bitcoin. */
export interface RateSource {
  readonly name: string;
  /**
   * Prices of one bitcoin as decimal strings by lower-case currency code, `usd` always among them. Rejects when the
   * answer cannot be trusted as a whole, and when `signal` aborts.
   */
  fetch(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

/** The part of an HTTP client that sources need. The client limits the size of `body` and follows no redirects. */
export type HttpGet = (url: string, signal: AbortSignal) => Promise<{ status: number; body: Buffer }>;

/** Exchange rates as the rest of the service sees them. */
export interface Rates {
  /**
   * The rate in force, from memory. `currency` in any case. Throws `validation_error` for an unknown code and
   * `rate_unavailable` when there is no price young enough.
   */
  quote(currency: string): ExchangeRate;
  /** Every price in force by lower-case currency code; empty when there is none. */
  prices(): Readonly<Record<string, string>>;
  /** Asks all sources now. Calls during one share it; never rejects. */
  refresh(): Promise<void>;
  /** Resolves once there is a price, or the first round is over without one; never rejects. */
  ready(): Promise<void>;
  /** Refreshes now and from then on in the background. */
  start(): void;
  /** Ends the background work, and a refresh under way. */
  stop(): void;
}

/**
 * A price as published: two to four decimals. No fiat price of a bitcoin is low enough for more to matter, and what is
 * printed here is exactly what amounts are converted with.
 */
export function formatPrice(price: Decimal): string {
  return formatDecimal(roundDecimalHalfUp(price, 4), 2);
}

/** The lower-case code of a currency asked for in any case; throws `validation_error` for anything else. */
export function knownCurrency(text: string): string {
  const currency = parseCurrency(text);
  if (currency === undefined) throw invalid(`currency ${JSON.stringify(text.slice(0, 16))} is not an ISO 4217 code`);
  return currency;
}
