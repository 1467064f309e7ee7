import { Type } from 'typebox';
import { notFound } from '../../kernel/errors.ts';
import { inputObject } from '../../model/fields.ts';
import { type ProductTypeRow, productTypeSchema, toProductType } from '../../model/product-type.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findProductType, saveProductType } from '../../store/product-types.ts';
import { productTypeMembers, productTypeNameInput, readTaxIds } from './product-type-input.ts';

export const updateProductType = operation({
  name: 'update_product_type',
  summary: 'Change a product type',
  description: 'Members that are left out stay as they are; `tax_ids` is replaced whole.',
  method: 'PATCH',
  path: '/api/v1/m/product_types/{id}',
  access: { permission: 'catalog:write' },
  params: { id: 'Product type' },
  body: inputObject({
    product_type: inputObject({ name: Type.Optional(productTypeNameInput), ...productTypeMembers }),
  }),
  answer: json(productTypeSchema),
  fails: ['not_found'],
  tool: {
    description: 'Rename a group of products, move it, or change its taxes.',
    rename: { id: 'product_type_id' },
  },
  idempotency: 'database',
  async run(call, { params, body }) {
    const { name, position, external_ref, tax_ids } = body.product_type;
    await advanceCatalog(call.db, call.scope, call.now);
    const before = await findProductType(call.db, call.scope, params.id!);
    if (!before) throw notFound('Product type');
    const type: ProductTypeRow = {
      ...before,
      name: name ?? before.name,
      position: position ?? before.position,
      external_ref: external_ref === undefined ? before.external_ref : external_ref,
      tax_ids: tax_ids ? await readTaxIds(call, tax_ids) : before.tax_ids,
      updated_at: call.now,
    };
    await saveProductType(call.db, call.scope, type);
    return toProductType(type);
  },
});
