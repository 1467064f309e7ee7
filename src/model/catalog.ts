import { type Static, Type } from 'typebox';
import { formatMoney } from '../kernel/money.ts';
import { type DiscountRow, discountTerms, toDiscountTerms } from './discount.ts';
import { cents, currencyCode, livemode, nullable, objectName, timestamp, uuid } from './fields.ts';
import { trimmedPercent } from './percent.ts';
import { type ProductRow, paymentLinkUrl, toPaymentLinkUrl } from './product.ts';
import type { ProductTypeRow } from './product-type.ts';
import type { TaxRow } from './tax.ts';

/** How often a client that shows the catalog should ask for its version. */
const catalogRefreshMinutes = 5;

/** Products without a type stand last, under this name. */
const untypedName = 'Other';

const catalogVersion = timestamp('Rises with every change to the catalog');
const refreshMinutes = Type.Integer({ description: 'How often to ask whether the version has risen' });

export const catalogVersionSchema = Type.Object(
  {
    object: objectName('catalog_version'),
    livemode,
    catalog_version: catalogVersion,
    version: timestamp('The same as catalog_version'),
    catalog_refresh_minutes: refreshMinutes,
  },
  { description: 'How new the catalog is' },
);

const catalogProductSchema = Type.Object({
  id: uuid('Product'),
  slug: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  price_cents: cents('Price of one'),
  currency: currencyCode,
  sku: nullable(Type.String()),
  formatted_price: Type.String({ description: 'The price for people' }),
  image_url: nullable(Type.String()),
  image_medium_url: nullable(Type.String()),
  position: Type.Integer(),
  payment_link_url: paymentLinkUrl,
});

type CatalogProduct = Static<typeof catalogProductSchema>;

const catalogTypeSchema = Type.Object({
  id: nullable(uuid('Product type; null for the products without one')),
  name: Type.String(),
  position: Type.Integer(),
  tax_ids: Type.Array(uuid('Tax')),
  products: Type.Array(catalogProductSchema),
});

export const catalogSchema = Type.Object(
  {
    object: objectName('catalog'),
    livemode,
    merchant_id: uuid('Merchant'),
    catalog_version: catalogVersion,
    catalog_refresh_minutes: refreshMinutes,
    product_types: Type.Array(catalogTypeSchema),
    taxes: Type.Array(
      Type.Object({
        id: uuid('Tax'),
        name: Type.String(),
        rate: Type.String({ description: 'Percent, a decimal string' }),
        inclusive: Type.Boolean({ description: 'Whether prices already hold it' }),
        enabled: Type.Boolean(),
      }),
    ),
    discounts: Type.Array(
      Type.Object({
        ...discountTerms,
        code: Type.Optional(nullable(Type.String({ description: 'Left out for publishable keys' }))),
      }),
    ),
  },
  { description: 'Everything that is for sale' },
);
export type Catalog = Static<typeof catalogSchema>;
export type CatalogProductRow = Pick<
  ProductRow,
  | 'id'
  | 'slug'
  | 'name'
  | 'description'
  | 'price_cents'
  | 'currency'
  | 'status'
  | 'sku'
  | 'image_url'
  | 'position'
  | 'product_type_id'
>;

/** What a catalog is made of: active products and enabled discounts only, everything in the order it shows in. */
export interface CatalogRows {
  merchantId: string;
  livemode: boolean;
  version: Date;
  types: readonly ProductTypeRow[];
  products: readonly CatalogProductRow[];
  taxes: readonly TaxRow[];
  discounts: readonly DiscountRow[];
}

/** @param withCodes whether the caller may read the codes that customers type in. */
export function toCatalog(rows: CatalogRows, payUrl: string, withCodes: boolean): Catalog {
  const byType = new Map<string | null, CatalogProduct[]>();
  for (const product of rows.products) {
    const members = byType.get(product.product_type_id) ?? [];
    byType.set(product.product_type_id, members);
    members.push(toCatalogProduct(product, payUrl));
  }
  const productsOf = (typeId: string | null) => byType.get(typeId) ?? [];
  const types: Catalog['product_types'] = rows.types.map(({ id, name, position, tax_ids }) => ({
    id,
    name,
    position,
    tax_ids,
    products: productsOf(id),
  }));
  if (byType.has(null)) {
    const position = (types.at(-1)?.position ?? 0) + 1;
    types.push({ id: null, name: untypedName, position, tax_ids: [], products: productsOf(null) });
  }
  return {
    object: 'catalog',
    livemode: rows.livemode,
    merchant_id: rows.merchantId,
    catalog_version: rows.version.toISOString(),
    catalog_refresh_minutes: catalogRefreshMinutes,
    product_types: types,
    taxes: rows.taxes.map(({ id, name, rate, inclusive, enabled }) => ({
      id,
      name,
      rate: trimmedPercent(rate),
      inclusive,
      enabled,
    })),
    discounts: rows.discounts.map((row) => ({ ...toDiscountTerms(row), ...(withCodes ? { code: row.code } : {}) })),
  };
}

function toCatalogProduct(row: CatalogProductRow, payUrl: string): CatalogProduct {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    price_cents: row.price_cents,
    currency: row.currency,
    sku: row.sku,
    formatted_price: formatMoney(row.price_cents, row.currency),
    image_url: row.image_url,
    // Images stay where the merchant has them; there is one size.
    image_medium_url: row.image_url,
    position: row.position,
    payment_link_url: toPaymentLinkUrl(row, payUrl),
  };
}

export function toCatalogVersion(livemode: boolean, version: Date): Static<typeof catalogVersionSchema> {
  const text = version.toISOString();
  return {
    object: 'catalog_version',
    livemode,
    catalog_version: text,
    version: text,
    catalog_refresh_minutes: catalogRefreshMinutes,
  };
}
