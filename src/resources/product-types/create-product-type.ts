import { newId } from '../../kernel/ids.ts';
import { inputObject } from '../../model/fields.ts';
import { nextPosition } from '../../model/position.ts';
import { type ProductTypeRow, productTypeSchema, toProductType } from '../../model/product-type.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { insertProductType, lastProductTypePosition } from '../../store/product-types.ts';
import { productTypeMembers, productTypeNameInput, readTaxIds } from './product-type-input.ts';

export const createProductType = operation({
  name: 'create_product_type',
  summary: 'Add a product type to the catalog',
  description: 'It stands last unless `position` says otherwise.',
  method: 'POST',
  path: '/api/v1/m/product_types',
  status: 201,
  access: { permission: 'catalog:write' },
  body: inputObject({ product_type: inputObject({ name: productTypeNameInput, ...productTypeMembers }) }),
  answer: json(productTypeSchema),
  fails: ['not_found'],
  tool: {
    description: 'Add a group for products, with the taxes that they bear.',
  },
  idempotency: 'database',
  async run(call, { body }) {
    const { name, position, external_ref, tax_ids } = body.product_type;
    await advanceCatalog(call.db, call.scope, call.now);
    const type: ProductTypeRow = {
      id: newId(),
      merchant_id: call.scope.merchantId,
      livemode: call.scope.livemode,
      name,
      position: position ?? nextPosition(await lastProductTypePosition(call.db, call.scope)),
      external_ref: external_ref ?? null,
      tax_ids: await readTaxIds(call, tax_ids ?? []),
      created_at: call.now,
      updated_at: call.now,
    };
    await insertProductType(call.db, type);
    return toProductType(type);
  },
});
