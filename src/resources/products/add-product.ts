import { checkLargestAmount } from '../../flows/key-allowance.ts';
import { newId, newSlug } from '../../kernel/ids.ts';
import { nextPosition } from '../../model/position.ts';
import { type Product, productSlugPrefix, toProduct } from '../../model/product.ts';
import type { Call } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findMerchant } from '../../store/merchants.ts';
import { insertProduct, lastProductPosition } from '../../store/products.ts';
import { type ProductBody, withProductBody } from './product-input.ts';

/** Writes a new product: active, last in line and in the merchant's currency unless the body says otherwise. */
export async function addProduct(
  call: Call,
  body: ProductBody & { name: string; price_cents: number },
): Promise<Product> {
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
      name: body.name,
      description: null,
      sku: null,
      price_cents: body.price_cents,
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
    body,
  );
  await checkLargestAmount(call, { amountCents: product.price_cents, currency: product.currency });
  await insertProduct(call.db, product);
  return toProduct(product, call.parts.links.payUrl);
}
