import { Type } from 'typebox';
import { objectName } from '../../model/fields.ts';
import { json, publicOperation } from '../../operation/operation.ts';
import { listChannelCategories } from '../../store/channels.ts';
import { directoryCacheSeconds } from './cache.ts';

export const listCategories = publicOperation({
  name: 'list_categories',
  summary: 'List the categories of the public directory',
  method: 'GET',
  path: '/api/v1/pub/categories',
  answer: json(Type.Object({ object: objectName('list'), data: Type.Array(Type.String()) })),
  cacheSeconds: directoryCacheSeconds,
  tool: false,
  run: async (call) => ({ object: 'list', data: await listChannelCategories(call.db) }),
});
