import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { ShownTax, TaxRow } from '../model/tax.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'name',
  'rate',
  'inclusive',
  'enabled',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof TaxRow)[];
/** What an answer shows of a tax. */
export const shownOfTax = columns.filter((column): column is keyof ShownTax => column !== 'merchant_id');
const columnList = columns.join(', ');
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'taxes_insert',
  `insert into taxes (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement('taxes_find', `select ${columnList} from taxes where ${inScope}`);
const update = statement(
  'taxes_update',
  `update taxes set name = $4, rate = $5, inclusive = $6, enabled = $7, updated_at = $8 where ${inScope}`,
);
const remove = statement('taxes_delete', `delete from taxes where ${inScope}`);
const listAll = statement(
  'taxes_list_all',
  `select ${columnList} from taxes where merchant_id = $1 and livemode = $2 order by created_at, id`,
);
const count = statement(
  'taxes_count_of_ids',
  'select count(*) as count from taxes where merchant_id = $1 and livemode = $2 and id = any($3::uuid[])',
);

export async function insertTax(tx: Handle, row: TaxRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => row[column]),
  );
}

export function findTax(db: Handle, scope: Scope, id: string): Promise<TaxRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** Writes what a merchant can change. */
export async function saveTax(tx: Handle, scope: Scope, row: TaxRow): Promise<void> {
  const { id, name, rate, inclusive, enabled, updated_at } = row;
  await tx.run(update, [id, scope.merchantId, scope.livemode, name, rate, inclusive, enabled, updated_at]);
}

/** Product types that name the tax lose it. @returns false when there was no such tax. */
export async function deleteTax(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** All taxes of a merchant in one mode, oldest first. */
export function listMerchantTaxes(db: Handle, scope: Scope): Promise<TaxRow[]> {
  return db.many(listAll, [scope.merchantId, scope.livemode]);
}

/** How many of these ids are taxes of the scope. */
export async function countTaxes(db: Handle, scope: Scope, ids: readonly string[]): Promise<number> {
  return (await db.maybeOne<{ count: number }>(count, [scope.merchantId, scope.livemode, ids]))!.count;
}

/** Newest first. */
export function listTaxes(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<TaxRow>> {
  return listPage<TaxRow>(
    db,
    {
      select: `select ${columnList} from taxes`,
      countFrom: 'from taxes',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', enabled: 'enabled' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
