import { Type } from 'typebox';
import { exchangeSchema, toExchange } from '../../model/exchange.ts';
import { nullable, timestamp } from '../../model/fields.ts';
import { json, publicOperation } from '../../operation/operation.ts';
import { listCountries, listExchanges as listExchangeRows } from '../../store/exchanges.ts';
import { directoryCacheSeconds } from './cache.ts';

export const listExchanges = publicOperation({
  name: 'list_exchanges',
  summary: 'List exchanges that work with Lightning',
  description: 'Kept by the operator of this service; each says where it was read and when.',
  method: 'GET',
  path: '/api/v1/pub/exchanges',
  answer: json(
    Type.Object({
      exchanges: Type.Array(exchangeSchema),
      updated_at: nullable(timestamp('When an exchange last changed; null while there is none')),
    }),
  ),
  cacheSeconds: directoryCacheSeconds,
  tool: false,
  async run(call) {
    const [rows, countries] = await Promise.all([listExchangeRows(call.db), listCountries(call.db)]);
    const newest = Math.max(...rows.map((row) => row.updated_at.getTime()));
    return {
      exchanges: rows.map((row) => toExchange(row, countries)),
      updated_at: rows.length === 0 ? null : new Date(newest).toISOString(),
    };
  },
});
