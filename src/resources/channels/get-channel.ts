import { notFound } from '../../kernel/errors.ts';
import { channelSchema, toChannel } from '../../model/channel.ts';
import { json, operation } from '../../operation/operation.ts';
import { findChannel } from '../../store/channels.ts';

export const getChannel = operation({
  name: 'get_channel',
  summary: 'Show a channel',
  method: 'GET',
  path: '/api/v1/m/channels/{id}',
  access: { permission: 'merchant:read' },
  params: { id: 'Channel' },
  answer: json(channelSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const channel = await findChannel(call.db, call.scope, params.id!);
    if (!channel) throw notFound('Channel');
    return toChannel(channel);
  },
});
