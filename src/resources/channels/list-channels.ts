import { boolean, text, timestamp } from '../../kernel/filters.ts';
import { channelSchema, toChannel } from '../../model/channel.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listChannels as listChannelRows } from '../../store/channels.ts';

export const listChannels = operation({
  name: 'list_channels',
  summary: 'List your channels, newest first',
  method: 'GET',
  path: '/api/v1/m/channels',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { name: text, slug: text, category: text, nsfw: boolean, created_at: timestamp } },
  answer: listOf(channelSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listChannelRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toChannel), totalCount } };
  },
});
