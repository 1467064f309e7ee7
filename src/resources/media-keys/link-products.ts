import { Type } from 'typebox';
import { holdMediaKey, readProducts } from '../../flows/media-keys.ts';
import { inputObject, textInput } from '../../model/fields.ts';
import { mediaKeySchema, mostLinkedProducts, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMediaKey, linkMediaKey } from '../../store/media-keys.ts';

export const linkProducts = operation({
  name: 'link_products',
  summary: 'Link products to a media key',
  description: 'All of them or, when one is unknown, none.',
  method: 'POST',
  path: '/api/v1/m/media_keys/{id}/products',
  access: { permission: 'media_keys:write' },
  params: { id: 'Media key' },
  body: inputObject({
    product_ids: Type.Array(textInput(200, 'Product id or slug'), {
      maxItems: mostLinkedProducts,
      description: `Up to ${mostLinkedProducts} ids or slugs`,
    }),
  }),
  answer: json(mediaKeySchema),
  fails: ['bad_request', 'not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const known = await holdMediaKey(call.db, call.scope, params.id!);
    const products = await readProducts(call.db, call.scope, body.product_ids);
    const ids = products.map(({ id }) => id);
    if (ids.length > 0) await linkMediaKey(call.db, known.id, ids, call.now);
    return toMediaKey((await findMediaKey(call.db, call.scope, known.id))!);
  },
});
