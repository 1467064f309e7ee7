import { dynamicStatement, type Handle } from '../db/database.ts';
import type { SealedColumn } from '../model/sealed-columns.ts';

export interface SealedCount {
  /** Of the secrets key that so many values are sealed under. */
  readonly keyId: string;
  readonly count: number;
}

export interface SealedValue {
  /** The row's primary key as text, in the order of `SealedColumn.key`. */
  readonly key: readonly string[];
  readonly sealed: Buffer;
}

/** How many values of a column are sealed under which key. Reads the whole table. */
export function countSealed(db: Handle, { table, column, except }: SealedColumn): Promise<SealedCount[]> {
  return db.many(
    dynamicStatement(
      `select encode(substring("${column}" from 2 for 4), 'hex') as "keyId", count(*) as count from "${table}"
        where ${isSealed({ column, except })} group by 1 order by 1`,
    ),
  );
}

/**
 * The next values by primary key that are sealed under another key than this one, locked. Rows that somebody else holds
 * are left out, so that nobody waits for anybody.
 */
export function lockSealedOtherwise(
  tx: Handle,
  { table, column, key, except }: SealedColumn,
  keyId: string,
  after: readonly string[] | undefined,
  limit: number,
): Promise<SealedValue[]> {
  const names = key.map(({ name }) => `"${name}"`).join(', ');
  const bounds = key.map(({ type }, index) => `$${index + 2}::${type}`).join(', ');
  return tx.many(
    dynamicStatement(
      `select array[${key.map(({ name }) => `"${name}"::text`).join(', ')}] as key, "${column}" as sealed from "${table}"
        where ${isSealed({ column, except })} and substring("${column}" from 2 for 4) <> decode($1, 'hex')
          ${after ? `and (${names}) > (${bounds})` : ''}
        order by ${names} limit ${limit} for no key update skip locked`,
    ),
    [keyId, ...(after ?? [])],
  );
}

/** Puts other bytes in the place of values that this transaction has locked. */
export async function writeSealed(
  tx: Handle,
  { table, column, key }: SealedColumn,
  values: readonly SealedValue[],
): Promise<void> {
  const names = key.map((_, index) => `k${index}`);
  const lists = names.map((_, index) => `$${index + 2}::text[]`);
  const isRow = key.map(({ name, type }, index) => `t."${name}" = v.k${index}::${type}`).join(' and ');
  await tx.run(
    dynamicStatement(
      `update "${table}" t set "${column}" = decode(v.sealed, 'hex')
         from unnest($1::text[], ${lists.join(', ')}) as v (sealed, ${names.join(', ')}) where ${isRow}`,
    ),
    [
      values.map(({ sealed }) => sealed.toString('hex')),
      ...key.map((_, index) => values.map((value) => value.key[index])),
    ],
  );
}

function isSealed({ column, except }: { column: string; except: string | undefined }): string {
  return `"${column}" is not null${except === undefined ? '' : ` and not (${except})`}`;
}
