import { Type } from 'typebox';
import { makeMediaKey, readProducts } from '../../flows/media-keys.ts';
import { inputObject, metadataInput, nameInput, optional, textInput } from '../../model/fields.ts';
import { mediaKeySchema, mostLinkedProducts, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';

export const createMediaKey = operation({
  name: 'create_media_key',
  summary: 'Make a media key, linked to products in the same call',
  description: 'Nothing is made when one of the products is unknown.',
  method: 'POST',
  path: '/api/v1/m/media_keys',
  status: 201,
  access: { permission: 'media_keys:write' },
  body: inputObject({
    media_key: inputObject({
      name: optional(nameInput('What to call it')),
      browser_delivery: optional(Type.Boolean({ description: 'Whether browsers may be served what it opens' })),
      product_ids: optional(
        Type.Array(textInput(200, 'Product id or slug'), { maxItems: mostLinkedProducts, description: 'Products' }),
      ),
      metadata: optional(metadataInput),
    }),
  }),
  answer: json(mediaKeySchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { body }) {
    const { name, browser_delivery, product_ids, metadata } = body.media_key;
    const request = {
      name: name ?? null,
      browserDelivery: browser_delivery ?? false,
      products: await readProducts(call.db, call.scope, product_ids ?? []),
      ...(metadata ? { metadata } : {}),
    };
    return toMediaKey((await makeMediaKey(call.db, call.parts.sealer, call.scope, request, call.now))!);
  },
});
