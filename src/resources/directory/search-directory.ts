import { invalid } from '../../kernel/errors.ts';
import { listedChannelSchema, toListedChannel } from '../../model/channel.ts';
import { searchQuery } from '../../model/channel-search.ts';
import { publicListOf, publicOperation } from '../../operation/operation.ts';
import { searchChannels } from '../../store/channels.ts';
import { directoryCacheSeconds } from './cache.ts';

const nsfwWords = ['false', 'true', 'all'] as const;
const longestSearch = 200;

/** `/pub/channels` and `/pub/creators` are two names of one list. */
function searchOperation(name: string, noun: string) {
  return publicOperation({
    name,
    summary: `Search the public directory of ${noun}, newest first`,
    method: 'GET',
    path: `/api/v1/pub/${noun}`,
    query: {
      paged: true,
      perPage: 24,
      plain: {
        q: {
          description:
            'Beginnings of words in name, slug, category, merchant or bio; of all but the bio also parts of three letters and more',
        },
        category: { description: 'As `/pub/categories` lists it' },
        nsfw: { description: 'Without it, what is not for everybody’s eyes is left out', words: nsfwWords },
      },
    },
    answer: publicListOf(listedChannelSchema),
    cacheSeconds: directoryCacheSeconds,
    tool: false,
    async run(call, { page, plain }) {
      const { q = '', category, nsfw = 'false' } = plain;
      if (q.length > longestSearch) throw invalid(`q must have at most ${longestSearch} characters`);
      const query = searchQuery(q);
      // Something was asked for that no channel can have, such as a lone question mark.
      if (query === undefined && q.trim() !== '') return { page, result: { rows: [], totalCount: 0 } };
      const search = {
        query,
        category: category?.toLowerCase() || undefined,
        nsfw: nsfw === 'all' ? undefined : nsfw === 'true',
      };
      const { rows, totalCount } = await searchChannels(call.db, search, page);
      return { page, result: { rows: rows.map(toListedChannel), totalCount } };
    },
  });
}

export const searchDirectoryChannels = searchOperation('search_channels', 'channels');
export const searchDirectoryCreators = searchOperation('search_creators', 'creators');
