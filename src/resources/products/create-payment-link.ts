import { Type } from 'typebox';
import { centsInput, currencyInput, inputObject, nameInput, optional, textInput } from '../../model/fields.ts';
import { productSchema } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { addProduct } from './add-product.ts';

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
      name: nameInput('What is sold'),
      price_cents: centsInput('Price'),
      currency: optional(currencyInput),
      description: optional(textInput(5000, 'More about it')),
      access_duration_seconds: optional(Type.Integer({ minimum: 1, description: 'How long a buyer has access' })),
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
