import { removal } from '../../operation/removal.ts';
import { deleteMediaKey as remove } from '../../store/media-keys.ts';

export const deleteMediaKey = removal({
  name: 'delete_media_key',
  summary: 'Remove a media key and its links',
  path: '/api/v1/m/media_keys/{id}',
  resource: 'Media key',
  permission: 'media_keys:write',
  audit: true,
  remove: ({ db, scope }, id) => remove(db, scope, id),
});
