import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findProduct, saveProduct } from '../../store/products.ts';

export const deleteProduct = operation({
  name: 'delete_product',
  summary: 'Archive a product',
  description:
    'It is no longer sold and leaves its type, its payment link stops, lists leave it out. What was bought stays bought.',
  method: 'DELETE',
  path: '/api/v1/m/products/{id}',
  status: 204,
  access: { permission: 'catalog:write' },
  params: { id: 'Product' },
  slugParams: ['id'],
  answer: empty,
  fails: ['not_found'],
  tool: {
    description:
      'Take a product off sale for good: it is archived and its payment link stops working. Customers ' +
      'keep what they have bought.',
    rename: { id: 'product_id' },
  },
  idempotency: 'database',
  async run(call, { params }) {
    await advanceCatalog(call.db, call.scope, call.now);
    const product = await findProduct(call.db, call.scope, params.id!);
    if (!product) throw notFound('Product');
    if (product.status === 'archived') return;
    await saveProduct(call.db, call.scope, {
      ...product,
      status: 'archived',
      product_type_id: null,
      updated_at: call.now,
    });
  },
});
