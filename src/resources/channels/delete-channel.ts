import { removal } from '../../operation/removal.ts';
import { deleteChannel as remove } from '../../store/channels.ts';

export const deleteChannel = removal({
  name: 'delete_channel',
  summary: 'Remove a channel from the directory; orders keep its id',
  path: '/api/v1/m/channels/{id}',
  resource: 'Channel',
  permission: 'merchant:write',
  remove: ({ db, scope }, id) => remove(db, scope, id),
});
