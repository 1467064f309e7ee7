import { notFound } from '../../kernel/errors.ts';
import { mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMediaKey } from '../../store/media-keys.ts';

export const getMediaKey = operation({
  name: 'get_media_key',
  summary: 'Show a media key; never its material',
  method: 'GET',
  path: '/api/v1/m/media_keys/{id}',
  access: { permission: 'media_keys:read' },
  params: { id: 'Media key' },
  answer: json(mediaKeySchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const row = await findMediaKey(call.db, call.scope, params.id!);
    if (!row) throw notFound('Media key');
    return toMediaKey(row);
  },
});
