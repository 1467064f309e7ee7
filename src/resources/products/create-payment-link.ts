import { inputObject } from '../../model/fields.ts';
import { productSchema } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { addProduct } from './add-product.ts';
import { priceInput, productMembers, productNameInput } from './product-input.ts';

const { currency, description, access_duration_seconds } = productMembers;

export const createPaymentLink = operation({
  name: 'create_payment_link',
  summary: 'Make a payment link: a product and its address in one call',
  description: 'The answer is the product; payment_link_url is what to share. It never expires.',
  method: 'POST',
  path: '/api/v1/m/payment_links',
  status: 201,
  access: { permission: 'catalog:write', oauthScope: 'payment_links' },
  body: inputObject({
    payment_link: inputObject({
      name: productNameInput,
      price_cents: priceInput,
      currency,
      description,
      access_duration_seconds,
    }),
  }),
  answer: json(productSchema),
  tool: {
    description:
      'Make a reusable payment link for one thing at one price. Returns payment_link_url, which can be shared and paid any number of times.',
  },
  idempotency: 'database',
  run: (call, { body }) => addProduct(call, body.payment_link),
});
