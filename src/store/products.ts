import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { isSlug, isUuid } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { CatalogProductRow } from '../model/catalog.ts';
import type { ProductRow } from '../model/product.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'slug',
  'name',
  'description',
  'sku',
  'price_cents',
  'currency',
  'status',
  'position',
  'product_type_id',
  'resource_type',
  'image_url',
  'access_duration_seconds',
  'external_ref',
  'metadata',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof ProductRow)[];
const columnList = columns.join(', ');
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'products_insert',
  `insert into products (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement('products_find', `select ${columnList} from products where ${inScope}`);
const findBySlug = statement(
  'products_find_by_slug',
  `select ${columnList} from products where slug = $1 and merchant_id = $2 and livemode = $3`,
);
const findForSale = statement(
  'products_find_for_sale',
  `select ${columnList} from products where slug = $1 and status = 'active'`,
);
const hasPhysical = statement(
  'products_has_physical',
  `select exists (
     select from products
      where merchant_id = $1 and livemode = $2 and resource_type = 'physical'
        and (id = any($3::uuid[]) or slug = any($4::text[]))
   ) as found`,
);
const update = statement(
  'products_update',
  `update products set name = $4, description = $5, sku = $6, price_cents = $7, currency = $8, status = $9,
          position = $10, product_type_id = $11, resource_type = $12, image_url = $13, access_duration_seconds = $14,
          external_ref = $15, metadata = $16, updated_at = $17
    where ${inScope}`,
);
const lastPosition = statement(
  'products_last_position',
  'select coalesce(max(position), 0) as position from products where merchant_id = $1 and livemode = $2',
);
const countOfType = statement(
  'products_count_of_type',
  'select count(*) as count from products where product_type_id = $1',
);
const listActive = statement(
  'products_list_active',
  `select id, slug, name, description, price_cents, currency, status, sku, image_url, position, product_type_id
     from products where merchant_id = $1 and livemode = $2 and status = 'active' order by position, id`,
);

export async function insertProduct(tx: Handle, row: ProductRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => (column === 'metadata' ? JSON.stringify(row.metadata) : row[column])),
  );
}

/** @param idOrSlug a UUID, or anything else, which may be a slug. */
export function findProduct(db: Handle, scope: Scope, idOrSlug: string): Promise<ProductRow | undefined> {
  return db.maybeOne(isUuid(idOrSlug) ? find : findBySlug, [idOrSlug, scope.merchantId, scope.livemode]);
}

/** For payment links: whoever has the slug may buy, as long as it is for sale. */
export async function findActiveProductBySlug(db: Handle, slug: string): Promise<ProductRow | undefined> {
  // Addresses may hold anything, also what the database would not take as text.
  return isSlug(slug) ? db.maybeOne(findForSale, [slug]) : undefined;
}

/** Whether one of these products, named by UUID or slug, has to be sent to its buyer. */
export async function hasPhysicalProduct(db: Handle, scope: Scope, idsOrSlugs: readonly string[]): Promise<boolean> {
  const ids = idsOrSlugs.filter(isUuid);
  const slugs = idsOrSlugs.filter((text) => !isUuid(text));
  return (await db.maybeOne<{ found: boolean }>(hasPhysical, [scope.merchantId, scope.livemode, ids, slugs]))!.found;
}

/** Writes what a merchant can change. */
export async function updateProduct(tx: Handle, scope: Scope, row: ProductRow): Promise<void> {
  await tx.run(update, [
    row.id,
    scope.merchantId,
    scope.livemode,
    row.name,
    row.description,
    row.sku,
    row.price_cents,
    row.currency,
    row.status,
    row.position,
    row.product_type_id,
    row.resource_type,
    row.image_url,
    row.access_duration_seconds,
    row.external_ref,
    JSON.stringify(row.metadata),
    row.updated_at,
  ]);
}

/** The highest position that is taken, 0 when there is none. */
export async function lastProductPosition(tx: Handle, scope: Scope): Promise<number> {
  return (await tx.maybeOne<{ position: number }>(lastPosition, [scope.merchantId, scope.livemode]))!.position;
}

/** How many products a type has; the id comes from a row the caller may see. */
export async function countProductsOfType(tx: Handle, typeId: string): Promise<number> {
  return (await tx.maybeOne<{ count: number }>(countOfType, [typeId]))!.count;
}

/** What the catalog shows of the products that are for sale, by position. */
export function listActiveProducts(db: Handle, scope: Scope): Promise<CatalogProductRow[]> {
  return db.many(listActive, [scope.merchantId, scope.livemode]);
}

/** By position. Archived products stay out unless the filter on status asks for them. */
export function listProducts(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<ProductRow>> {
  const namesArchived = filters.some(({ field, values }) => field === 'status' && values.includes('archived'));
  return listPage<ProductRow>(
    db,
    {
      select: `select ${columnList} from products`,
      countFrom: 'from products',
      where: `merchant_id = $1 and livemode = $2${namesArchived ? '' : ` and status <> 'archived'`}`,
      values: [scope.merchantId, scope.livemode],
      columns: {
        name: 'name',
        status: 'status',
        sku: 'sku',
        external_ref: 'external_ref',
        created_at: 'created_at',
      },
      orderBy: 'position, id',
    },
    filters,
    page,
  );
}
