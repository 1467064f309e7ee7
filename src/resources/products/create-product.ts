import { inputObject } from '../../model/fields.ts';
import { productSchema } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { addProduct } from './add-product.ts';
import { priceInput, productMembers, productNameInput } from './product-input.ts';

export const createProduct = operation({
  name: 'create_product',
  summary: 'Add a product to the catalog',
  description:
    'It is active, last in line and priced in the merchant’s currency unless you say otherwise. Its payment link never ' +
    'changes.',
  method: 'POST',
  path: '/api/v1/m/products',
  status: 201,
  access: { permission: 'catalog:write' },
  body: inputObject({
    product: inputObject({ name: productNameInput, price_cents: priceInput, ...productMembers }),
  }),
  answer: json(productSchema),
  // For a key whose limits are in another currency.
  fails: ['not_found', 'rate_unavailable'],
  tool: {
    description:
      'Add something to sell to the catalog, with all its details. The answer has its payment_link_url. ' +
      'For just a link to share, create_payment_link is shorter.',
  },
  idempotency: 'database',
  run: (call, { body }) => addProduct(call, body.product),
});
