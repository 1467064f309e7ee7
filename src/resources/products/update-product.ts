import { Type } from 'typebox';
import { checkLargestAmount } from '../../flows/key-allowance.ts';
import { notFound } from '../../kernel/errors.ts';
import { inputObject } from '../../model/fields.ts';
import { productSchema, toProduct } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findProduct, saveProduct } from '../../store/products.ts';
import { priceInput, productMembers, productNameInput, withProductBody } from './product-input.ts';

export const updateProduct = operation({
  name: 'update_product',
  summary: 'Change a product',
  description:
    'Members that are left out stay as they are; `metadata` is replaced whole. An archived product leaves its type, and ' +
    'comes back with the status active or inactive.',
  method: 'PATCH',
  path: '/api/v1/m/products/{id}',
  access: { permission: 'catalog:write' },
  params: { id: 'Product' },
  slugParams: ['id'],
  body: inputObject({
    product: inputObject({
      name: Type.Optional(productNameInput),
      price_cents: Type.Optional(priceInput),
      ...productMembers,
    }),
  }),
  answer: json(productSchema),
  // For a key whose limits are in another currency.
  fails: ['not_found', 'rate_unavailable'],
  tool: {
    description:
      'Change a product: its price, name, status and so on. What is left out stays as it is; metadata is ' +
      'replaced whole. The payment link stays the same.',
    rename: { id: 'product_id' },
  },
  idempotency: 'database',
  async run(call, { params, body }) {
    await advanceCatalog(call.db, call.scope, call.now);
    const before = await findProduct(call.db, call.scope, params.id!);
    if (!before) throw notFound('Product');
    const product = await withProductBody(call, before, body.product);
    const { price_cents: amountCents, currency, status } = product;
    const asksMore = amountCents > before.price_cents || currency !== before.currency || status !== before.status;
    if (asksMore && status === 'active') await checkLargestAmount(call, { amountCents, currency });
    await saveProduct(call.db, call.scope, product);
    return toProduct(product, call.parts.links.payUrl);
  },
});
