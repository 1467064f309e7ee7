import { Type } from 'typebox';
import { changeMediaKey } from '../../flows/media-keys.ts';
import { AppError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, optional, textInput } from '../../model/fields.ts';
import { isMediaKeyText, mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMediaKey } from '../../store/media-keys.ts';

export const updateMediaKey = operation({
  name: 'update_media_key',
  summary: 'Change how a media key is delivered, or bring a key of your own',
  description:
    'Needs the permission media_keys:manage. A key that is not yours answers 400 here, as the interface has it.',
  method: 'PATCH',
  path: '/api/v1/m/media_keys/{id}',
  access: { permission: 'media_keys:manage' },
  params: { id: 'Media key' },
  textParams: ['id'],
  body: inputObject({
    media_key: inputObject({
      browser_delivery: Type.Boolean({ description: 'Whether browsers may be served what it opens' }),
      key: optional(textInput(64, '32 bytes as base64url without padding, 43 characters')),
    }),
  }),
  answer: json(mediaKeySchema),
  fails: ['bad_request', 'not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body }) {
    const { browser_delivery, key } = body.media_key;
    if (key && !isMediaKeyText(key)) {
      throw new AppError('bad_request', 'key must be 32 bytes as base64url without padding, 43 characters');
    }
    const known = isUuid(params.id!) && (await findMediaKey(call.db, call.scope, params.id!));
    if (!known) throw new AppError('bad_request', 'This merchant has no such media key');
    const change = { browserDelivery: browser_delivery, ...(key ? { key } : {}) };
    return toMediaKey(await changeMediaKey(call.db, call.parts.sealer, call.scope, known.id, change, call.now));
  },
});
