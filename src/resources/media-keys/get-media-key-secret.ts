import { openMediaKey } from '../../flows/media-keys.ts';
import { notFound } from '../../kernel/errors.ts';
import { mediaKeySecretSchema } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';
import { findSealedMediaKey } from '../../store/media-keys.ts';

export const getMediaKeySecret = operation({
  name: 'get_media_key_secret',
  summary: 'Show the material of a media key',
  description: 'Key material is shown here, by rotate and by access verify, nowhere else.',
  method: 'GET',
  path: '/api/v1/m/media_keys/{id}/key',
  access: { permission: 'media_keys:read' },
  params: { id: 'Media key' },
  answer: json(mediaKeySecretSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const row = await findSealedMediaKey(call.db, call.scope, params.id!);
    if (!row) throw notFound('Media key');
    return openMediaKey(call.parts.sealer, row);
  },
});
