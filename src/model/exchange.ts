import { Type } from 'typebox';
import { nullable, uuid } from './fields.ts';

/** A place where bitcoin is bought or sold, as an operator keeps it. Not to be taken for an exchange rate. */
export interface ExchangeRow {
  id: string;
  name: string;
  url: string;
  promoted: boolean;
  min_transaction_sats: number | null;
  pays_lightning_invoices: boolean;
  lightning_deposits: boolean;
  payout_countries: string[];
  peer_to_peer: boolean;
  available_worldwide: boolean;
  source_url: string;
  /** YYYY-MM-DD */
  checked_on: string;
  notes: string | null;
  notes_es: string | null;
  logo_url: string | null;
  /** ISO 3166-1 alpha-2, upper case; each has a row of its own. */
  country_codes: string[];
  created_at: Date;
  updated_at: Date;
}

export interface CountryRow {
  iso_code: string;
  id: string;
  name: string;
  currency_code: string;
}

export const exchangeSchema = Type.Object(
  {
    id: uuid('Exchange'),
    name: Type.String(),
    url: Type.String(),
    promoted: Type.Boolean({ description: 'Put first by the operator' }),
    min_transaction_sats: nullable(Type.Integer({ description: 'Smallest transaction, in satoshis' })),
    pays_lightning_invoices: Type.Boolean({ description: 'Withdrawals over Lightning' }),
    lightning_deposits: Type.Boolean(),
    payout_countries: Type.Array(Type.String(), { description: 'ISO 3166-1 codes of where it pays money out' }),
    peer_to_peer: Type.Boolean(),
    available_worldwide: Type.Boolean(),
    source_url: Type.String({ description: 'Where this was read' }),
    checked_on: Type.String({ description: 'The day somebody last looked, as YYYY-MM-DD' }),
    notes: nullable(Type.String()),
    notes_es: nullable(Type.String({ description: 'The notes in Spanish' })),
    logo_url: nullable(Type.String()),
    countries: Type.Array(
      Type.Object({
        id: uuid('Country'),
        name: Type.String(),
        iso_code: Type.String(),
        currency_code: Type.String(),
      }),
      { description: 'Where it can be used' },
    ),
  },
  { description: 'An exchange' },
);

export function toExchange(row: ExchangeRow, countries: ReadonlyMap<string, CountryRow>) {
  const { country_codes: codes, created_at: _made, updated_at: _changed, ...shown } = row;
  return {
    ...shown,
    countries: codes.flatMap((code) => {
      const country = countries.get(code);
      if (!country) return [];
      const { id, name, iso_code, currency_code } = country;
      return [{ id, name, iso_code, currency_code }];
    }),
  };
}
