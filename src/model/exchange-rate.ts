import { Type } from 'typebox';
import { currencyCode, decimalString, objectName, timestamp } from './fields.ts';

export const exchangeRateSchema = Type.Object(
  {
    object: objectName('rate'),
    btc_usd: decimalString('Price of one bitcoin in US dollars'),
    currency: currencyCode,
    btc_fiat: decimalString('Price of one bitcoin in the currency'),
    rates: Type.Record(Type.String(), Type.String(), { description: 'Price of one bitcoin by currency code' }),
    source: Type.String({ description: 'Who the price came from' }),
    fetched_at: timestamp('When the oldest price in it was asked for'),
    stale: Type.Boolean({ description: 'Older than a minute' }),
  },
  { description: 'The exchange rate in force' },
);
