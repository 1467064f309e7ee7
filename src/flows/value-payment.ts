import { decimal } from '../kernel/decimal.ts';
import { AppError } from '../kernel/errors.ts';
import {
  atMost,
  exchangedRoundedHalfUp,
  fiatValueRoundedHalfUp,
  formatAmount,
  variancePercentage,
} from '../kernel/money.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { PaymentRow } from '../model/payment.ts';
import type { MerchantValue } from '../store/payments.ts';
import { type RatesByMode, ratesOf } from './parts.ts';

type Values = Pick<
  PaymentRow,
  | 'btc_usd_price'
  | 'btc_fiat_price'
  | 'usd_value'
  | 'fiat_value'
  | 'usd_variance_cents'
  | 'fiat_variance_cents'
  | 'variance_percentage'
>;

/**
 * What the received sats are worth now, and by how much that differs from what was quoted. Without a fresh rate the
 * invoice's own prices are used: money that has arrived is recorded whatever the sources of exchange rates say.
 */
export function valuesAtPayment(
  rates: RatesByMode,
  currency: string,
  invoice: Pick<InvoiceRow, 'livemode' | 'quoted_cents' | 'btc_usd_price' | 'btc_fiat_price'>,
  receivedSats: number,
): Values {
  const { btcUsd, btcFiat } = currentPrices(rates, currency, invoice);
  const fiatCents = valueCents(receivedSats, currency, btcFiat);
  const usdCents = valueCents(receivedSats, 'usd', btcUsd);
  // Of the amount, not of the sats asked for: those hold the conversion fee too.
  const from = { currency, price: decimal(invoice.btc_fiat_price) };
  const to = { currency: 'usd', price: decimal(invoice.btc_usd_price) };
  const quotedUsdCents = atMost(() => exchangedRoundedHalfUp(invoice.quoted_cents, from, to));
  return {
    btc_usd_price: btcUsd,
    btc_fiat_price: btcFiat,
    usd_value: formatAmount(usdCents, 'usd'),
    fiat_value: formatAmount(fiatCents, currency),
    usd_variance_cents: usdCents - quotedUsdCents,
    fiat_variance_cents: fiatCents - invoice.quoted_cents,
    variance_percentage: variancePercentage(invoice.quoted_cents, fiatCents),
  };
}

/**
 * What a payment is worth now in its merchant's own currency, for the month's volume. What is known of the payment is used
 * first; undefined when its currency is neither that nor the dollar and there is no fresh rate.
 */
export function valueForMerchant(
  rates: RatesByMode,
  merchantCurrency: string,
  payment: Pick<PaymentRow, 'livemode' | 'currency' | 'amount_sats' | 'fiat_value' | 'usd_value'>,
): MerchantValue | undefined {
  const known = { [payment.currency]: payment.fiat_value, usd: payment.usd_value }[merchantCurrency];
  if (known != null) return { currency: merchantCurrency, value: known };
  try {
    const { btcFiat } = ratesOf(rates, payment.livemode).quote(merchantCurrency);
    const cents = valueCents(payment.amount_sats!, merchantCurrency, btcFiat);
    return { currency: merchantCurrency, value: formatAmount(cents, merchantCurrency) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}

function valueCents(amountSats: number, currency: string, price: string): number {
  return atMost(() => fiatValueRoundedHalfUp(amountSats, currency, decimal(price)));
}

function currentPrices(
  rates: RatesByMode,
  currency: string,
  invoice: Pick<InvoiceRow, 'livemode' | 'btc_usd_price' | 'btc_fiat_price'>,
): { btcUsd: string; btcFiat: string } {
  try {
    return ratesOf(rates, invoice.livemode).quote(currency);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { btcUsd: invoice.btc_usd_price, btcFiat: invoice.btc_fiat_price };
  }
}
