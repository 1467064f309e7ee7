import { holdMediaKey, makeMediaKey, readProducts } from '../../flows/media-keys.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, nameInput, optional, textInput } from '../../model/fields.ts';
import { mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMediaKey, linkMediaKey as link } from '../../store/media-keys.ts';

export const linkMediaKey = operation({
  name: 'link_media_key',
  summary: 'Link a media key to a product, or make a new one for it',
  method: 'POST',
  path: '/api/v1/m/products/{product_id}/media_keys',
  status: 201,
  access: { permission: 'media_keys:write' },
  params: { product_id: 'Product' },
  slugParams: ['product_id'],
  body: inputObject({
    media_key_id: optional(textInput(64, 'A key that is there already')),
    media_key: optional(inputObject({ name: optional(nameInput('What to call the new one')) })),
  }),
  answer: json(mediaKeySchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const products = await readProducts(call.db, call.scope, [params.product_id!]);
    if (body.media_key_id && body.media_key) throw invalid('media_key_id and media_key cannot both be given');
    if (body.media_key_id) {
      if (!isUuid(body.media_key_id)) throw notFound('Media key');
      const known = await holdMediaKey(call.db, call.scope, body.media_key_id);
      await link(call.db, known.id, [products[0]!.id], call.now);
      return toMediaKey((await findMediaKey(call.db, call.scope, known.id))!);
    }
    if (!body.media_key) throw invalid('media_key_id or media_key is required');
    const request = { name: body.media_key.name ?? null, browserDelivery: false, products };
    return toMediaKey((await makeMediaKey(call.db, call.parts.sealer, call.scope, request, call.now))!);
  },
});
