import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { DiscountRow } from '../model/discount.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'name',
  'code',
  'kind',
  'percent',
  'amount_cents',
  'currency',
  'enabled',
  'starts_at',
  'ends_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof DiscountRow)[];
const columnList = columns.join(', ');
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'discounts_insert',
  `insert into discounts (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement('discounts_find', `select ${columnList} from discounts where ${inScope}`);
const findByCode = statement(
  'discounts_find_by_code',
  `select ${columnList} from discounts where merchant_id = $1 and livemode = $2 and lower(code) = lower($3)`,
);
const update = statement(
  'discounts_update',
  `update discounts set name = $4, code = $5, kind = $6, percent = $7, amount_cents = $8, currency = $9, enabled = $10,
          starts_at = $11, ends_at = $12, updated_at = $13
    where ${inScope}`,
);
const remove = statement('discounts_delete', `delete from discounts where ${inScope}`);
const codeTaken = statement(
  'discounts_code_taken',
  `select exists (
     select from discounts where merchant_id = $1 and livemode = $2 and lower(code) = lower($3) and id <> $4
   ) as taken`,
);
const listEnabled = statement(
  'discounts_list_enabled',
  `select ${columnList} from discounts where merchant_id = $1 and livemode = $2 and enabled order by created_at, id`,
);

export async function insertDiscount(tx: Handle, row: DiscountRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => row[column]),
  );
}

export function findDiscount(db: Handle, scope: Scope, id: string): Promise<DiscountRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** Upper and lower case alike. */
export function findDiscountByCode(db: Handle, scope: Scope, code: string): Promise<DiscountRow | undefined> {
  return db.maybeOne(findByCode, [scope.merchantId, scope.livemode, code]);
}

/** Writes what a merchant can change. */
export async function saveDiscount(tx: Handle, scope: Scope, row: DiscountRow): Promise<void> {
  await tx.run(update, [
    row.id,
    scope.merchantId,
    scope.livemode,
    row.name,
    row.code,
    row.kind,
    row.percent,
    row.amount_cents,
    row.currency,
    row.enabled,
    row.starts_at,
    row.ends_at,
    row.updated_at,
  ]);
}

/** @returns false when there was no such discount. */
export async function deleteDiscount(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** Whether a discount other than `id` has this code, upper and lower case alike. */
export async function isDiscountCodeTaken(db: Handle, scope: Scope, code: string, id: string): Promise<boolean> {
  return (await db.maybeOne<{ taken: boolean }>(codeTaken, [scope.merchantId, scope.livemode, code, id]))!.taken;
}

/** Enabled discounts of a merchant in one mode, whatever their dates, oldest first. */
export function listEnabledDiscounts(db: Handle, scope: Scope): Promise<DiscountRow[]> {
  return db.many(listEnabled, [scope.merchantId, scope.livemode]);
}

/** Newest first. */
export function listDiscounts(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<DiscountRow>> {
  return listPage<DiscountRow>(
    db,
    {
      select: `select ${columnList} from discounts`,
      countFrom: 'from discounts',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', code: 'code', kind: 'kind', enabled: 'enabled' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
