import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { deleteChannel as removeChannel } from '../../store/channels.ts';

export const deleteChannel = operation({
  name: 'delete_channel',
  summary: 'Remove a channel from the directory; orders keep its id',
  method: 'DELETE',
  path: '/api/v1/m/channels/{id}',
  status: 204,
  access: { permission: 'merchant:write' },
  params: { id: 'Channel' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    if (!(await removeChannel(call.db, call.scope, params.id!))) throw notFound('Channel');
  },
});
