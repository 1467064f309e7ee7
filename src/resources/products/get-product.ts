import { notFound } from '../../kernel/errors.ts';
import { productSchema, toProduct } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOwnMediaKey } from '../../store/media-keys.ts';
import { findProduct } from '../../store/products.ts';

export const getProduct = operation({
  name: 'get_product',
  summary: 'Show a product, by id or slug',
  method: 'GET',
  path: '/api/v1/m/products/{id}',
  access: { permission: 'catalog:read' },
  params: { id: 'Product' },
  slugParams: ['id'],
  answer: json(productSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one product with its price and payment_link_url.',
    rename: { id: 'product_id' },
  },
  async run(call, { params }) {
    const product = await findProduct(call.db, call.scope, params.id!);
    if (!product) throw notFound('Product');
    const key = await findOwnMediaKey(call.db, call.scope, product.id);
    return {
      ...toProduct(product, call.parts.links.payUrl),
      key_rotation_pending: key !== undefined && key.previous_key_fingerprint !== null,
    };
  },
});
