import { text, timestamp, word } from '../../kernel/filters.ts';
import { productSchema, productStatuses, toProduct } from '../../model/product.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listProducts as listProductRows } from '../../store/products.ts';

export const listProducts = operation({
  name: 'list_products',
  summary: 'List products by position',
  description: 'Archived products are left out unless `q[status_eq]=archived` asks for them.',
  method: 'GET',
  path: '/api/v1/m/products',
  access: { permission: 'catalog:read' },
  query: {
    paged: true,
    filters: {
      name: text,
      status: word(...productStatuses),
      sku: text,
      external_ref: text,
      created_at: timestamp,
    },
  },
  answer: listOf(productSchema),
  tool: {
    description:
      'Find products by name, status, sku or your own reference. Each has the payment_link_url to sell it with.',
  },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listProductRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map((row) => toProduct(row, call.parts.links.payUrl)), totalCount } };
  },
});
