import { type Handle, statement } from '../db/database.ts';
import type { CountryRow, ExchangeRow } from '../model/exchange.ts';

const columns = [
  'id',
  'name',
  'url',
  'promoted',
  'min_transaction_sats',
  'pays_lightning_invoices',
  'lightning_deposits',
  'payout_countries',
  'peer_to_peer',
  'available_worldwide',
  'source_url',
  'checked_on',
  'notes',
  'notes_es',
  'logo_url',
  'country_codes',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ExchangeRow)[];
const columnList = columns.join(', ');
const kept = columns.filter((column) => column !== 'id' && column !== 'created_at');

const list = statement('exchanges_list', `select ${columnList} from exchanges order by promoted desc, lower(name)`);
const save = statement(
  'exchanges_save',
  `insert into exchanges (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
   on conflict (id) do update set ${kept.map((column) => `${column} = excluded.${column}`).join(', ')}`,
);
const removeOthers = statement('exchanges_delete_others', 'delete from exchanges where id <> all($1::uuid[])');
const listCountryRows = statement('countries_list', 'select iso_code, id, name, currency_code from countries');
const saveCountryRow = statement(
  'countries_save',
  `insert into countries (iso_code, id, name, currency_code) values ($1, $2, $3, $4)
   on conflict (iso_code) do update set name = excluded.name, currency_code = excluded.currency_code`,
);

/** Promoted ones first, then by name. */
export function listExchanges(db: Handle): Promise<ExchangeRow[]> {
  return db.many(list);
}

/** Adds the exchange, or writes over the one with its id. */
export async function saveExchange(tx: Handle, row: ExchangeRow): Promise<void> {
  await tx.run(
    save,
    columns.map((column) => (column === 'payout_countries' ? JSON.stringify(row.payout_countries) : row[column])),
  );
}

/** Removes all but these. @returns how many. */
export function deleteOtherExchanges(tx: Handle, ids: readonly string[]): Promise<number> {
  return tx.run(removeOthers, [ids]);
}

/** Countries by code. */
export async function listCountries(db: Handle): Promise<Map<string, CountryRow>> {
  return new Map((await db.many<CountryRow>(listCountryRows)).map((row) => [row.iso_code, row]));
}

/** Adds the country, or writes over the one with its code; its id stays. */
export async function saveCountry(tx: Handle, { iso_code, id, name, currency_code }: CountryRow): Promise<void> {
  await tx.run(saveCountryRow, [iso_code, id, name, currency_code]);
}
