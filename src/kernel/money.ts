import { currencyExponent } from './currency.ts';
import { type Decimal, decimalOne, divideRoundedHalfUp, divideRoundedUp } from './decimal.ts';

declare const unit: unique symbol;

/** An amount of fiat in minor units of its ISO 4217 currency: 500 jpy is ¥500, 1234 kwd is 1.234 dinars. */
type Cents = number & { readonly [unit]: 'cents' };
/** Whole satoshis. */
export type Sats = number & { readonly [unit]: 'sats' };
/** Thousandths of a satoshi, as Lightning counts. */
type Msats = bigint & { readonly [unit]: 'msats' };

/** The largest amount of anything, minor units and sats alike: what a JSON number carries exactly (2^53-1). */
export const maxAmount = Number.MAX_SAFE_INTEGER;

const satsPerBitcoin = 100_000_000n;

/** Checks that `value` is a whole number of minor units from 0 to `maxAmount`; throws RangeError otherwise. */
export function cents(value: number): Cents {
  return whole(value, 'minor units') as Cents;
}

/** Checks that `value` is a whole number of sats from 0 to `maxAmount`; throws RangeError otherwise. */
export function sats(value: number): Sats {
  return whole(value, 'sats') as Sats;
}

/** What a wallet is asked for: always a multiple of 1000 msat, since many wallets know whole sats only. */
export function msatsForSats(amountSats: number): Msats {
  return (BigInt(sats(amountSats)) * 1000n) as Msats;
}

/** `priceCents` times `quantity`, both whole numbers; throws RangeError when the product passes `maxAmount`. */
export function priceTimesQuantity(priceCents: number, quantity: number): Cents {
  return fitted(BigInt(cents(priceCents)) * BigInt(whole(quantity, 'items')), 'minor units') as Cents;
}

/**
 * Sats to ask for `amountCents` minor units at `price`, in units of `currency` for one bitcoin. Rounded up, so that the
 * merchant never gets less than the price; 0 stays 0 and anything above is at least 1 sat. Throws RangeError when the
 * result passes `maxAmount`.
 */
export function satsForFiatRoundedUp(amountCents: number, currency: string, price: Decimal): Sats {
  const bitcoin = satsPerBitcoin * decimalOne;
  return fitted(divideRoundedUp(BigInt(cents(amountCents)) * bitcoin, minorPrice(currency, price)), 'sats') as Sats;
}

/**
 * What `amountSats` are worth in minor units of `currency` at `price`, in units of the currency for one bitcoin. Rounded
 * half up. Throws RangeError when the result passes `maxAmount`.
 */
export function fiatValueRoundedHalfUp(amountSats: number, currency: string, price: Decimal): Cents {
  const bitcoin = satsPerBitcoin * decimalOne;
  const value = divideRoundedHalfUp(BigInt(sats(amountSats)) * minorPrice(currency, price), bitcoin);
  return fitted(value, 'minor units') as Cents;
}

/** What `count` comes to, or the most there is where it is more: for figures that must not keep money out of the books. */
export function atMost(count: () => number): number {
  try {
    return count();
  } catch (error) {
    if (error instanceof RangeError) return maxAmount;
    throw error;
  }
}

/** The price of one bitcoin in a currency, which two of them exchange through. */
interface CurrencyPrice {
  currency: string;
  price: Decimal;
}

/**
 * `amountCents` of one currency in minor units of another, at prices of bitcoin in both at one moment. Rounded half up.
 * Throws RangeError when the result passes `maxAmount`.
 */
export function exchangedRoundedHalfUp(amountCents: number, from: CurrencyPrice, to: CurrencyPrice): Cents {
  const value = BigInt(cents(amountCents)) * minorPrice(to.currency, to.price);
  return fitted(divideRoundedHalfUp(value, minorPrice(from.currency, from.price)), 'minor units') as Cents;
}

/**
 * How far `valueCents` lies from `quotedCents`, in percent of the latter with two decimals, halves away from zero:
 * `-0.25`. Against a quote of 0 it is `0.00`.
 */
export function variancePercentage(quotedCents: number, valueCents: number): string {
  const quoted = BigInt(cents(quotedCents));
  if (quoted === 0n) return '0.00';
  const difference = BigInt(cents(valueCents)) - quoted;
  const hundredths = divideRoundedHalfUp((difference < 0n ? -difference : difference) * 10_000n, quoted);
  return withPoint(hundredths, 2, difference < 0n);
}

/**
 * Minor units as a plain decimal string with as many decimals as the currency has: `12.34`, `-0.05`, `500` for jpy.
 * The amount may be negative, as variances are.
 */
export function formatAmount(amountCents: number, currency: string): string {
  const magnitude = whole(Math.abs(amountCents), 'minor units');
  return withPoint(BigInt(magnitude), currencyExponent(currency), amountCents < 0);
}

/**
 * Reads a plain decimal amount of `currency` into minor units: `19.99` usd is 1999. Undefined for anything else,
 * including more decimals than the currency has, a sign, and amounts above `maxAmount`: nothing is rounded here.
 */
export function parseAmount(text: string, currency: string): Cents | undefined {
  const exponent = currencyExponent(currency);
  const match = /^(\d{1,16})(?:\.(\d{1,4}))?$/.exec(text);
  const fraction = match?.[2] ?? '';
  if (!match || fraction.length > exponent) return undefined;
  const value = BigInt(match[1]! + fraction.padEnd(exponent, '0'));
  return value > BigInt(maxAmount) ? undefined : (Number(value) as Cents);
}

const moneyFormats = new Map<string, Intl.NumberFormat>();

/**
 * Minor units for people, en-US: `$19.99`, `¥500`, `KWD 1.234`. Exact for every amount. The blank after a code is a plain
 * one, because which blank the Unicode tables use there has changed before.
 */
export function formatMoney(amountCents: number, currency: string): string {
  let format = moneyFormats.get(currency);
  if (!format) {
    const digits = currencyExponent(currency);
    format = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    moneyFormats.set(currency, format);
  }
  // As text: through a float the last digits of a large amount would be lost.
  return format.format(formatAmount(amountCents, currency) as `${number}`).replace(/[\u00a0\u202f]/g, ' ');
}

/** The price of one bitcoin in minor units, times 10^12. */
function minorPrice(currency: string, price: Decimal): bigint {
  if (price <= 0n) throw new RangeError('a price must be above zero');
  return price * 10n ** BigInt(currencyExponent(currency));
}

function withPoint(digits: bigint, decimals: number, negative: boolean): string {
  const text = digits.toString().padStart(decimals + 1, '0');
  const amount = decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
  return negative && digits > 0n ? `-${amount}` : amount;
}

function whole(value: number, what: string): number {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`${value} is not a whole number of ${what} from 0 to ${maxAmount}`);
  }
  return value;
}

function fitted(value: bigint, what: string): number {
  if (value > BigInt(maxAmount)) throw new RangeError(`more than ${maxAmount} ${what}`);
  return whole(Number(value), what);
}
