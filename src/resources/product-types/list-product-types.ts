import { text } from '../../kernel/filters.ts';
import { productTypeSchema, toProductType } from '../../model/product-type.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listProductTypes as listProductTypeRows } from '../../store/product-types.ts';

export const listProductTypes = operation({
  name: 'list_product_types',
  summary: 'List product types by position',
  method: 'GET',
  path: '/api/v1/m/product_types',
  access: { permission: 'catalog:read' },
  query: { paged: true, filters: { name: text, external_ref: text } },
  answer: listOf(productTypeSchema),
  tool: {
    description: 'List the groups that products are in, in the catalog’s order.',
  },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listProductTypeRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toProductType), totalCount } };
  },
});
