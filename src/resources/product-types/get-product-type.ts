import { notFound } from '../../kernel/errors.ts';
import { productTypeSchema, toProductType } from '../../model/product-type.ts';
import { json, operation } from '../../operation/operation.ts';
import { findProductType } from '../../store/product-types.ts';

export const getProductType = operation({
  name: 'get_product_type',
  summary: 'Show a product type',
  method: 'GET',
  path: '/api/v1/m/product_types/{id}',
  access: { permission: 'catalog:read' },
  params: { id: 'Product type' },
  answer: json(productTypeSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one group of products.',
    rename: { id: 'product_type_id' },
  },
  async run(call, { params }) {
    const type = await findProductType(call.db, call.scope, params.id!);
    if (!type) throw notFound('Product type');
    return toProductType(type);
  },
});
