import { Type } from 'typebox';
import { violatedUnique } from '../../db/database.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { channelSchema, toChannel } from '../../model/channel.ts';
import { inputObject } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { lockChannel, saveChannel } from '../../store/channels.ts';
import { channelMembers, channelNameInput, withChannelBody } from './channel-input.ts';

export const updateChannel = operation({
  name: 'update_channel',
  summary: 'Change a channel',
  description: 'Members that are left out stay as they are; social_links is replaced whole.',
  method: 'PATCH',
  path: '/api/v1/m/channels/{id}',
  access: { permission: 'merchant:write' },
  params: { id: 'Channel' },
  body: inputObject({ channel: inputObject({ name: Type.Optional(channelNameInput), ...channelMembers }) }),
  answer: json(channelSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const before = await lockChannel(call.db, call.scope, params.id!);
    if (!before) throw notFound('Channel');
    const channel = await withChannelBody(call, before, body.channel);
    try {
      await saveChannel(call.db, { ...channel, merchant_name: null }, channel.merchant_name);
    } catch (error) {
      if (violatedUnique(error)) throw invalid('slug is taken by another channel');
      throw error;
    }
    return toChannel(channel);
  },
});
