import { newId, newSlug } from '../../kernel/ids.ts';
import { inputObject, nextPosition } from '../../model/fields.ts';
import { productSchema, productSlugPrefix, toProduct } from '../../model/product.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findMerchant } from '../../store/merchants.ts';
import { insertProduct, lastProductPosition } from '../../store/products.ts';
import { priceInput, productMembers, productNameInput, withProductBody } from './product-input.ts';

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
  fails: ['not_found'],
  tool: {},
  idempotency: 'database',
  async run(call, { body }) {
    await advanceCatalog(call.db, call.scope, call.now);
    const [merchant, lastPosition] = await Promise.all([
      findMerchant(call.db, call.scope.merchantId),
      lastProductPosition(call.db, call.scope),
    ]);
    const product = await withProductBody(
      call,
      {
        id: newId(),
        merchant_id: call.scope.merchantId,
        livemode: call.scope.livemode,
        slug: newSlug(productSlugPrefix),
        name: body.product.name,
        description: null,
        sku: null,
        price_cents: body.product.price_cents,
        currency: merchant!.currency,
        status: 'active',
        position: nextPosition(lastPosition),
        product_type_id: null,
        resource_type: null,
        image_url: null,
        access_duration_seconds: null,
        external_ref: null,
        metadata: {},
        created_at: call.now,
        updated_at: call.now,
      },
      body.product,
    );
    await insertProduct(call.db, product);
    return toProduct(product, call.parts.links.payUrl);
  },
});
