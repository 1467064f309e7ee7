import { holdMediaKey, readProducts } from '../../flows/media-keys.ts';
import { notFound } from '../../kernel/errors.ts';
import { mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { type Call, empty, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findMediaKey, unlinkMediaKey } from '../../store/media-keys.ts';

/** @throws {AppError} 404 when the key, the product or the link between them is not there. */
async function unlink(call: Call, { params }: OperationInput<undefined>) {
  const key = await holdMediaKey(call.db, call.scope, params.id!);
  const [product] = await readProducts(call.db, call.scope, [params.product_id!]);
  if (!(await unlinkMediaKey(call.db, key.id, product!.id, call.now))) throw notFound('Link');
  return toMediaKey((await findMediaKey(call.db, call.scope, key.id))!);
}

const shared = {
  method: 'DELETE',
  access: { permission: 'media_keys:write' },
  params: { id: 'Media key', product_id: 'Product' },
  slugParams: ['product_id'],
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
} as const;

export const unlinkProduct = operation({
  ...shared,
  name: 'unlink_product',
  summary: 'Take a product from a media key',
  path: '/api/v1/m/media_keys/{id}/products/{product_id}',
  answer: json(mediaKeySchema),
  run: unlink,
});

export const unlinkMediaKeyFromProduct = operation({
  ...shared,
  name: 'unlink_media_key',
  summary: 'The same, from the product’s side',
  path: '/api/v1/m/products/{product_id}/media_keys/{id}',
  status: 204,
  answer: empty,
  run: async (call, input) => void (await unlink(call, input)),
});
