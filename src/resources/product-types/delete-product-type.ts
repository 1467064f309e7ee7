import { AppError, notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findProductType, deleteProductType as removeProductType } from '../../store/product-types.ts';
import { countProductsOfType } from '../../store/products.ts';

export const deleteProductType = operation({
  name: 'delete_product_type',
  summary: 'Remove a product type that no product has',
  method: 'DELETE',
  path: '/api/v1/m/product_types/{id}',
  status: 204,
  access: { permission: 'catalog:write' },
  params: { id: 'Product type' },
  answer: empty,
  fails: ['not_found', 'conflict'],
  tool: {
    description: 'Remove a group of products. It fails while a product is in it.',
    rename: { id: 'product_type_id' },
  },
  idempotency: 'database',
  async run(call, { params }) {
    const { id } = params;
    await advanceCatalog(call.db, call.scope, call.now);
    if (!(await findProductType(call.db, call.scope, id!))) throw notFound('Product type');
    const count = await countProductsOfType(call.db, id!);
    if (count > 0) {
      const products = count === 1 ? '1 product has' : `${count} products have`;
      throw new AppError('conflict', `${products} this product type; move or archive them first`);
    }
    await removeProductType(call.db, call.scope, id!);
  },
});
