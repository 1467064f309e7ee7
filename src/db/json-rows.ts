/**
 * Rows that come nested in one column of JSON: one statement in place of several, where a read is asked so often that it
 * pays. Numbers with decimals stay text, as they are everywhere else: JSON would make them inexact.
 */

/** One row of `select` as JSON, null when there is none. */
export const jsonRow = (select: string): string => `(select row_to_json(row) from (${select}) row)`;

/** All rows of `select` as a JSON array, in its order. */
export const jsonRows = (select: string): string => `(select coalesce(json_agg(row), '[]') from (${select}) row)`;

const decimals = new Set(['btc_usd_price', 'btc_fiat_price', 'conversion_fee_percent', 'rate']);

/** Columns of a table for the functions above. */
export const jsonColumns = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${alias}.${column}${decimals.has(column) ? '::text' : ''}`).join(', ');

/** JSON has no moments: they come as text, in members whose name ends in `_at`, and become dates here. */
export function readMoments(row: object): void {
  const members = row as Record<string, unknown>;
  for (const name in members) {
    const value = members[name];
    if (name.endsWith('_at') && typeof value === 'string') members[name] = new Date(value);
  }
}
