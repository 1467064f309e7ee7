import {
  clearOldMediaKey,
  openMediaKey,
  readProducts,
  requireOwnMediaKey,
  rotateMediaKey,
} from '../../flows/media-keys.ts';
import { mediaKeySecretSchema } from '../../model/media-key.ts';
import { productSchema, toProduct } from '../../model/product.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';

// Each product has a media key of its own, made when it is first asked for.

const shared = { params: { id: 'Product' }, slugParams: ['id'] } as const;

async function readOwn(call: Call, { params }: OperationInput<undefined>) {
  const [product] = await readProducts(call.db, call.scope, [params.id!]);
  const key = await requireOwnMediaKey(call.db, call.parts.sealer, call.scope, product!, call.now);
  return { product: product!, key };
}

export const getProductKey = operation({
  ...shared,
  name: 'get_product_key',
  summary: 'Show the material of a product’s own key',
  method: 'GET',
  path: '/api/v1/m/products/{id}/key',
  access: { permission: 'media_keys:read' },
  answer: json(mediaKeySecretSchema),
  fails: ['not_found'],
  tool: {
    description: 'Get the encryption key that protects a product’s media. Key material: do not show it to anybody.',
    rename: { id: 'product_id' },
  },
  async run(call, input) {
    // A reading operation runs in no transaction; the first reading makes the key.
    const { key } = await call.parts.db.transaction((db) => readOwn({ ...call, db }, input));
    return openMediaKey(call.parts.sealer, key);
  },
});

export const rotateProductKey = operation({
  ...shared,
  name: 'rotate_product_key',
  summary: 'Put a new key in the place of a product’s own one, which is kept until it is cleared',
  method: 'POST',
  path: '/api/v1/m/products/{id}/rotate_key',
  access: { permission: 'media_keys:write' },
  answer: json(mediaKeySecretSchema),
  fails: ['not_found', 'conflict'],
  idempotency: 'database',
  audit: true,
  tool: {
    description: 'Replace the encryption key of a product; the old one is kept until clear_product_old_key.',
    rename: { id: 'product_id' },
  },
  async run(call, input) {
    const { product, key } = await readOwn(call, input);
    const event = { kind: 'product.key_rotated' as const, subjectId: product.id };
    const row = await rotateMediaKey(call.db, call.parts.sealer, call.scope, key.id, call.now, event);
    return openMediaKey(call.parts.sealer, row);
  },
});

export const clearProductOldKey = operation({
  ...shared,
  name: 'clear_product_old_key',
  summary: 'Drop the key before a product’s present one',
  method: 'POST',
  path: '/api/v1/m/products/{id}/clear_old_key',
  access: { permission: 'media_keys:write' },
  answer: json(productSchema),
  fails: ['not_found'],
  idempotency: 'database',
  audit: true,
  tool: {
    description:
      'Drop the old encryption key of a product once its media is encrypted anew. What still needs it cannot be opened again.',
    destructive: true,
    rename: { id: 'product_id' },
  },
  async run(call, input) {
    const { product, key } = await readOwn(call, input);
    await clearOldMediaKey(call.db, call.scope, key.id, call.now);
    return { ...toProduct(product, call.parts.links.payUrl), key_rotation_pending: false };
  },
});
