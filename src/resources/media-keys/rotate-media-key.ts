import { openMediaKey, rotateMediaKey as rotate } from '../../flows/media-keys.ts';
import { mediaKeySecretSchema } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';

export const rotateMediaKey = operation({
  name: 'rotate_media_key',
  summary: 'Put a new key in the place of the old one, which is kept until it is cleared',
  method: 'POST',
  path: '/api/v1/m/media_keys/{id}/rotate',
  access: { permission: 'media_keys:write' },
  params: { id: 'Media key' },
  answer: json(mediaKeySecretSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    const { sealer } = call.parts;
    const event = { kind: 'media_key.rotated' as const, subjectId: params.id! };
    const row = await rotate(call.db, sealer, call.scope, params.id!, call.now, event);
    return openMediaKey(sealer, row);
  },
});
