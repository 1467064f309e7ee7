import { type Handle, type Statement, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { isSlug, isUuid } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { CatalogProductRow } from '../model/catalog.ts';
import type { TaxTerms } from '../model/pricing.ts';
import type { ProductRow } from '../model/product.ts';

/** A product with what its type adds to its price. */
export interface TaxedProductRow extends ProductRow {
  type_name: string | null;
  /** Those that are enabled, in the type's order. */
  taxes: TaxTerms[];
}

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
const named =
  'products.merchant_id = $1 and products.livemode = $2 and (products.id = any($3::uuid[]) or slug = any($4::text[]))';

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
const findNamed = statement('products_find_named', `select ${columnList} from products where ${named}`);
const findTaxed = statement(
  'products_find_taxed',
  `select ${columns.map((column) => `products.${column}`).join(', ')}, y.name as type_name,
          coalesce((select json_agg(json_build_object('id', t.id, 'name', t.name, 'rate', t.rate::text,
                                                      'inclusive', t.inclusive) order by p.position)
                      from product_type_taxes p join taxes t on t.id = p.tax_id and t.enabled
                     where p.product_type_id = y.id), '[]') as taxes
     from products left join product_types y on y.id = products.product_type_id
    where ${named}`,
);
const hasPhysical = statement(
  'products_has_physical',
  `select exists (select from products where ${named} and resource_type = 'physical') as found`,
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

/** Products by what names them, a UUID or a slug each, in one read; what names none is not in the map. */
export function findProducts(db: Handle, scope: Scope, names: readonly string[]): Promise<Map<string, ProductRow>> {
  return mapNamed<ProductRow>(db, findNamed, scope, names);
}

/** The same with their taxes. */
export function findTaxedProducts(
  db: Handle,
  scope: Scope,
  names: readonly string[],
): Promise<Map<string, TaxedProductRow>> {
  return mapNamed<TaxedProductRow>(db, findTaxed, scope, names);
}

async function mapNamed<Row extends ProductRow>(
  db: Handle,
  query: Statement,
  scope: Scope,
  names: readonly string[],
): Promise<Map<string, Row>> {
  if (names.length === 0) return new Map();
  const byName = new Map<string, Row>();
  for (const row of await db.many<Row>(query, [scope.merchantId, scope.livemode, ...idsAndSlugs(names)])) {
    byName.set(row.id, row).set(row.slug, row);
  }
  return new Map(
    names.flatMap((name) => {
      const row = byName.get(isUuid(name) ? name.toLowerCase() : name);
      return row ? [[name, row] as const] : [];
    }),
  );
}

/** Names by their kind: a UUID, or anything else, which may be a slug. */
function idsAndSlugs(names: readonly string[]): [ids: string[], slugs: string[]] {
  return [names.filter(isUuid), names.filter((name) => !isUuid(name))];
}

/** For payment links: whoever has the slug may buy, as long as it is for sale. */
export async function findActiveProductBySlug(db: Handle, slug: string): Promise<ProductRow | undefined> {
  // Addresses may hold anything, also what the database would not take as text.
  return isSlug(slug) ? db.maybeOne(findForSale, [slug]) : undefined;
}

/** Whether one of these products, named by UUID or slug, has to be sent to its buyer. */
export async function hasPhysicalProduct(db: Handle, scope: Scope, idsOrSlugs: readonly string[]): Promise<boolean> {
  const values = [scope.merchantId, scope.livemode, ...idsAndSlugs(idsOrSlugs)];
  return (await db.maybeOne<{ found: boolean }>(hasPhysical, values))!.found;
}

/** Writes what a merchant can change. */
export async function saveProduct(tx: Handle, scope: Scope, row: ProductRow): Promise<void> {
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
