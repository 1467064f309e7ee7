import { createChannel } from './create-channel.ts';
import { deleteChannel } from './delete-channel.ts';
import { getChannel } from './get-channel.ts';
import { listChannels } from './list-channels.ts';
import { updateChannel } from './update-channel.ts';

export const channelOperations = [listChannels, createChannel, getChannel, updateChannel, deleteChannel];
