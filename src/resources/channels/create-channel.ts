import { invalid } from '../../kernel/errors.ts';
import { newId, randomBase62 } from '../../kernel/ids.ts';
import { channelSchema, isChannelSlug, toChannel } from '../../model/channel.ts';
import { inputObject } from '../../model/fields.ts';
import { type Call, json, operation } from '../../operation/operation.ts';
import { insertChannel, isChannelSlugTaken } from '../../store/channels.ts';
import { findMerchant } from '../../store/merchants.ts';
import { channelMembers, channelNameInput, slugOfName, withChannelBody } from './channel-input.ts';

export const createChannel = operation({
  name: 'create_channel',
  summary: 'Add a channel to the public directory',
  description: 'Channels of a live key are listed at once; those of a test key never are.',
  method: 'POST',
  path: '/api/v1/m/channels',
  status: 201,
  access: { permission: 'merchant:write' },
  body: inputObject({ channel: inputObject({ name: channelNameInput, ...channelMembers }) }),
  answer: json(channelSchema),
  tool: false,
  idempotency: 'database',
  async run(call, { body }) {
    const merchant = (await findMerchant(call.db, call.scope.merchantId))!;
    const id = newId();
    const channel = await withChannelBody(
      call,
      {
        id,
        merchant_id: merchant.id,
        livemode: call.scope.livemode,
        slug: body.channel.slug ?? (await freeSlug(call, body.channel.name, id)),
        name: body.channel.name,
        bio: null,
        videos_count: 0,
        nsfw: false,
        theme: null,
        category: null,
        profile_image_url: null,
        social_links: {},
        merchant_name: null,
        country: null,
        language: null,
        currency: null,
        created_at: call.now,
        updated_at: call.now,
      },
      body.channel,
    );
    // Of two that want one slug at once, the second waits for the first and then finds it taken.
    if (!(await insertChannel(call.db, channel, merchant.name))) throw invalid('slug is taken by another channel');
    return toChannel({ ...channel, merchant_name: merchant.name });
  },
});

async function freeSlug(call: Call, name: string, id: string): Promise<string> {
  const wanted = slugOfName(name);
  if (isChannelSlug(wanted) && !(await isChannelSlugTaken(call.db, call.scope, wanted, id))) return wanted;
  return `${wanted || 'channel'}-${randomBase62(8).toLowerCase()}`;
}
