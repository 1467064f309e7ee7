import { text, timestamp } from '../../kernel/filters.ts';
import { mediaKeySchema, toMediaKey } from '../../model/media-key.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listMediaKeys as list } from '../../store/media-keys.ts';

export const listMediaKeys = operation({
  name: 'list_media_keys',
  summary: 'List media keys, newest first',
  method: 'GET',
  path: '/api/v1/m/media_keys',
  access: { permission: 'media_keys:read' },
  query: { paged: true, filters: { name: text, created_at: timestamp } },
  answer: listOf(mediaKeySchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await list(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toMediaKey), totalCount } };
  },
});
