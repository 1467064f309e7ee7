import { ratesOf } from '../../flows/parts.ts';
import { exchangeRateSchema } from '../../model/exchange-rate.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';

export const getRates = operation({
  name: 'get_rates',
  summary: 'The exchange rate in force',
  method: 'GET',
  path: '/api/v1/rates',
  access: { permission: undefined, publishable: true },
  query: { plain: { currency: { description: 'ISO 4217 code; the merchant’s currency if left out' } } },
  answer: json(exchangeRateSchema),
  fails: ['validation_error', 'rate_unavailable'],
  tool: false,
  async run(call, { plain }) {
    const currency = plain.currency ?? (await findMerchant(call.db, call.scope.merchantId))!.currency;
    const rates = ratesOf(call.parts.rates, call.scope.livemode);
    const rate = rates.quote(currency);
    return {
      object: 'rate',
      btc_usd: rate.btcUsd,
      currency: rate.currency,
      btc_fiat: rate.btcFiat,
      rates: rates.prices(),
      source: rate.source,
      fetched_at: rate.fetchedAt.toISOString(),
      stale: rate.stale,
    };
  },
});
