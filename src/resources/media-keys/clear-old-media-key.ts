import { clearOldMediaKey as clear } from '../../flows/media-keys.ts';
import { mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { json, operation } from '../../operation/operation.ts';

export const clearOldMediaKey = operation({
  name: 'clear_old_media_key',
  summary: 'Drop the key before the present one; harmless when none is kept',
  method: 'POST',
  path: '/api/v1/m/media_keys/{id}/clear_old_key',
  access: { permission: 'media_keys:write' },
  params: { id: 'Media key' },
  answer: json(mediaKeySchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    const row = await clear(call.db, call.scope, params.id!, call.now);
    return toMediaKey(row);
  },
});
