import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { deleteMediaKey as remove } from '../../store/media-keys.ts';

export const deleteMediaKey = operation({
  name: 'delete_media_key',
  summary: 'Remove a media key and its links',
  method: 'DELETE',
  path: '/api/v1/m/media_keys/{id}',
  status: 204,
  access: { permission: 'media_keys:write' },
  params: { id: 'Media key' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    if (!(await remove(call.db, call.scope, params.id!))) throw notFound('Media key');
  },
});
