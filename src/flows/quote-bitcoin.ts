import { decimal, decimalOne, divideRoundedHalfUp } from '../kernel/decimal.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { maxAmount, satsForFiatRoundedUp } from '../kernel/money.ts';
import type { OrderRow } from '../model/order.ts';
import { type RatesByMode, ratesOf } from './parts.ts';

/** What an amount costs in bitcoin, frozen when an order is made or an old quote is renewed. */
interface BitcoinQuote {
  readonly amountSats: number;
  readonly btcUsdPrice: string;
  readonly btcFiatPrice: string;
  readonly rateSource: string;
  /** The fee that is in `amountSats`. */
  readonly feePercent: string;
}

/** How long an order's own quote serves new invoices; an older one is renewed so that nobody can wait for a good price. */
export const quoteLifeSeconds = 900;

interface QuoteRequest {
  readonly amountCents: number;
  readonly currency: string;
  readonly livemode: boolean;
  /** The merchant's fee on bitcoin prices. */
  readonly feePercent: string;
}

/**
 * Sats for a fiat amount, the merchant's conversion fee included, rounded UP to a whole sat once and used everywhere
 * after. 0 stays 0; anything above is at least 1.
 * @throws {AppError} `rate_unavailable` without a fresh price, `validation_error` beyond 2^53-1 sats.
 */
export function quoteBitcoin(rates: RatesByMode, request: QuoteRequest): BitcoinQuote {
  const rate = ratesOf(rates, request.livemode).quote(request.currency);
  return {
    amountSats: satsAt(rate.btcFiat, request),
    btcUsdPrice: rate.btcUsd,
    btcFiatPrice: rate.btcFiat,
    rateSource: rate.source,
    feePercent: request.feePercent,
  };
}

/** The members of an order that a quote fixes together; without one it has no price in bitcoin. */
export function quotedMembers(quote: BitcoinQuote | undefined, now: Date) {
  return {
    total_amount_sats: quote?.amountSats ?? 0,
    btc_usd_price: quote?.btcUsdPrice ?? null,
    btc_fiat_price: quote?.btcFiatPrice ?? null,
    rate_source: quote?.rateSource ?? null,
    conversion_fee_percent: quote?.feePercent ?? null,
    rate_quoted_at: quote ? now : null,
  } satisfies Partial<OrderRow>;
}

/** Sats for a fiat amount at a price that was frozen before, otherwise as `quoteBitcoin` works them out. */
export function satsAt(btcFiatPrice: string, request: Omit<QuoteRequest, 'livemode'>): number {
  const { amountCents, currency, feePercent } = request;
  const withFee = amountCents + conversionFeeCents(amountCents, feePercent);
  try {
    if (withFee > maxAmount) throw new RangeError();
    return satsForFiatRoundedUp(withFee, currency, decimal(btcFiatPrice));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw invalid(`total_amount_cents is more than can be paid in bitcoin; the most is ${maxAmount} sats`);
  }
}

/** The fee on top of an amount, in minor units, rounded half up. */
export function conversionFeeCents(amountCents: number, percent: string): number {
  // decimal() carries 12 digits: amount × percent / 100.
  return Number(divideRoundedHalfUp(BigInt(amountCents) * decimal(percent), 100n * decimalOne));
}

/** Prices for a cash order: nice to have, never in the way, not even where all bitcoin there is would not do. */
export function quoteIfPossible(rates: RatesByMode, request: QuoteRequest): BitcoinQuote | undefined {
  try {
    return quoteBitcoin(rates, request);
  } catch (error) {
    const isInTheWay = error instanceof AppError && ['rate_unavailable', 'validation_error'].includes(error.code);
    if (isInTheWay) return undefined;
    throw error;
  }
}
