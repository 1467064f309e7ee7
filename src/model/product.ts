import { type Static, Type } from 'typebox';
import { cents, currencyCode, livemode, metadata, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';

/** `archived` is what deleting a product leaves behind: nothing is sold, but access already paid for goes on. */
export const productStatuses = ['active', 'inactive', 'archived'] as const;
type ProductStatus = (typeof productStatuses)[number];

/** In front of a product's slug, which is the public name of its payment link. */
export const productSlugPrefix = 'prod';

export interface ProductRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  slug: string;
  name: string;
  description: string | null;
  sku: string | null;
  price_cents: number;
  currency: string;
  status: ProductStatus;
  position: number;
  /** Never set on an archived product. */
  product_type_id: string | null;
  resource_type: string | null;
  image_url: string | null;
  access_duration_seconds: number | null;
  external_ref: string | null;
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

export const paymentLinkUrl = nullable(
  Type.String({ description: 'Opens checkout for this product; null while it is not active' }),
);

export const productSchema = Type.Object(
  {
    object: objectName('product'),
    livemode,
    id: uuid('Product'),
    slug: Type.String({ description: 'Public name of its payment link; never changes' }),
    name: Type.String(),
    description: nullable(Type.String()),
    sku: nullable(Type.String({ description: 'Stock keeping unit' })),
    price_cents: cents('Price of one'),
    currency: currencyCode,
    status: oneOf(productStatuses),
    position: Type.Integer({ description: 'Place among the products, lowest first' }),
    product_type_id: nullable(uuid('Product type')),
    resource_type: nullable(Type.String({ description: 'Such as digital_download, physical or service' })),
    image_url: nullable(Type.String()),
    access_duration_seconds: nullable(Type.Integer({ description: 'How long a buyer has access; null: for life' })),
    external_ref: nullable(Type.String({ description: 'Your own reference' })),
    metadata,
    payment_link_url: paymentLinkUrl,
    created_at: timestamp('When the product was made'),
    updated_at: timestamp('When the product last changed'),
    key_rotation_pending: Type.Optional(
      Type.Boolean({ description: 'Whether the old key of its media is still kept; where one product is shown' }),
    ),
  },
  { description: 'A product' },
);
export type Product = Static<typeof productSchema>;

/** @param payUrl where payment links live, without a slash at the end. */
export function toPaymentLinkUrl(product: Pick<ProductRow, 'slug' | 'status'>, payUrl: string): string | null {
  return product.status === 'active' ? `${payUrl}/pay/${product.slug}` : null;
}

export function toProduct(row: ProductRow, payUrl: string): Product {
  return {
    object: 'product',
    livemode: row.livemode,
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    sku: row.sku,
    price_cents: row.price_cents,
    currency: row.currency,
    status: row.status,
    position: row.position,
    product_type_id: row.product_type_id,
    resource_type: row.resource_type,
    image_url: row.image_url,
    access_duration_seconds: row.access_duration_seconds,
    external_ref: row.external_ref,
    metadata: row.metadata,
    payment_link_url: toPaymentLinkUrl(row, payUrl),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
