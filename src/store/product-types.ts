import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { ProductTypeRow } from '../model/product-type.ts';

const columns = `id, merchant_id, livemode, name, position, external_ref, created_at, updated_at,
  array(select t.tax_id from product_type_taxes t where t.product_type_id = product_types.id order by t.position)
    as tax_ids`;
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'product_types_insert',
  `insert into product_types (id, merchant_id, livemode, name, position, external_ref, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const find = statement('product_types_find', `select ${columns} from product_types where ${inScope}`);
const update = statement(
  'product_types_update',
  `update product_types set name = $4, position = $5, external_ref = $6, updated_at = $7 where ${inScope}`,
);
const remove = statement('product_types_delete', `delete from product_types where ${inScope}`);
const removeTaxes = statement(
  'product_types_remove_taxes',
  'delete from product_type_taxes where product_type_id = $1',
);
const insertTaxes = statement(
  'product_types_insert_taxes',
  `insert into product_type_taxes (product_type_id, tax_id, position)
   select $1::uuid, t.tax_id, t.position from unnest($2::uuid[]) with ordinality as t (tax_id, position)`,
);
const lastPosition = statement(
  'product_types_last_position',
  'select coalesce(max(position), 0) as position from product_types where merchant_id = $1 and livemode = $2',
);
const listAll = statement(
  'product_types_list_all',
  `select ${columns} from product_types where merchant_id = $1 and livemode = $2 order by position, id`,
);

export async function insertProductType(tx: Handle, row: ProductTypeRow): Promise<void> {
  const { id, merchant_id, livemode, name, position, external_ref, created_at, updated_at } = row;
  await tx.run(insert, [id, merchant_id, livemode, name, position, external_ref, created_at, updated_at]);
  await tx.run(insertTaxes, [id, row.tax_ids]);
}

export function findProductType(db: Handle, scope: Scope, id: string): Promise<ProductTypeRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** Writes what a merchant can change, taxes included. */
export async function saveProductType(tx: Handle, scope: Scope, row: ProductTypeRow): Promise<void> {
  const { id, name, position, external_ref, tax_ids, updated_at } = row;
  await tx.run(update, [id, scope.merchantId, scope.livemode, name, position, external_ref, updated_at]);
  await tx.run(removeTaxes, [id]);
  await tx.run(insertTaxes, [id, tax_ids]);
}

/** Products must not be in it any more. @returns false when there was no such type. */
export async function deleteProductType(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** The highest position that is taken, 0 when there is none. */
export async function lastProductTypePosition(tx: Handle, scope: Scope): Promise<number> {
  return (await tx.maybeOne<{ position: number }>(lastPosition, [scope.merchantId, scope.livemode]))!.position;
}

/** All types of a merchant in one mode, by position. */
export function listMerchantProductTypes(db: Handle, scope: Scope): Promise<ProductTypeRow[]> {
  return db.many(listAll, [scope.merchantId, scope.livemode]);
}

/** By position. */
export function listProductTypes(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<ProductTypeRow>> {
  return listPage<ProductTypeRow>(
    db,
    {
      select: `select ${columns} from product_types`,
      countFrom: 'from product_types',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', external_ref: 'external_ref' },
      orderBy: 'position, id',
    },
    filters,
    page,
  );
}
