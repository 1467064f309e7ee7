import { type Static, Type } from 'typebox';
import { livemode, nullable, objectName, timestamp, uuid } from './fields.ts';

export interface ProductTypeRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  name: string;
  position: number;
  external_ref: string | null;
  tax_ids: string[];
  created_at: Date;
  updated_at: Date;
}

export const productTypeSchema = Type.Object(
  {
    object: objectName('product_type'),
    livemode,
    id: uuid('Product type'),
    name: Type.String(),
    position: Type.Integer({ description: 'Place in the catalog, lowest first' }),
    external_ref: nullable(Type.String({ description: 'Your own reference' })),
    tax_ids: Type.Array(uuid('Tax that its products bear')),
    created_at: timestamp('When the product type was made'),
    updated_at: timestamp('When the product type last changed'),
  },
  { description: 'A group of products that bear the same taxes' },
);
type ProductType = Static<typeof productTypeSchema>;

export function toProductType(row: ProductTypeRow): ProductType {
  return {
    object: 'product_type',
    livemode: row.livemode,
    id: row.id,
    name: row.name,
    position: row.position,
    external_ref: row.external_ref,
    tax_ids: row.tax_ids,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
