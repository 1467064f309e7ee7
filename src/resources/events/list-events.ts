import { Type } from 'typebox';
import { eventKinds } from '../../events/catalog.ts';
import { invalid } from '../../kernel/errors.ts';
import { timestamp, word } from '../../kernel/filters.ts';
import { pageMeta } from '../../kernel/page.ts';
import { eventSchema, eventsKeptDays, formatPosition, toEvent } from '../../model/event.ts';
import { type Call, listOf, type OperationInput, operation } from '../../operation/operation.ts';
import {
  countEventsAfter,
  findEventHorizon,
  listEvents as listEventRows,
  listEventsAfter,
} from '../../store/events.ts';
import { readPosition } from './event-position.ts';

/** Counting what lies behind a cursor stops here: whoever reads it all must not pay for the rest at every page. */
const mostCounted = 10_000;

export const listEvents = operation({
  name: 'list_events',
  summary: 'List events, newest first, or from a cursor on, oldest first',
  description:
    'With `after` (an event’s id, a `cursor` from an earlier answer, or empty for the very beginning) the answer goes on ' +
    'behind it, oldest first, and no event is ever passed by: keep asking with the last `cursor`. There, `total_count` ' +
    `counts no further than ${mostCounted.toLocaleString('en-US')} and there are no pages; \`has_more\` says whether to ask again at once. ` +
    `Without \`after\`, \`cursor\` is where to start following from now. Events are kept for ${eventsKeptDays} days.`,
  method: 'GET',
  path: '/api/v1/m/events',
  access: { permission: 'webhooks:read' },
  query: {
    paged: true,
    filters: { type: word(...eventKinds), created_at: timestamp },
    plain: { after: { description: 'Id of an event or a cursor; empty: from the beginning' } },
  },
  answer: listOf(eventSchema, {
    cursor: Type.String({ description: 'Send it as `after` to go on from here' }),
    has_more: Type.Boolean({ description: 'Whether more follows in this order right now' }),
  }),
  tool: false,
  async run(call, input) {
    return input.plain.after === undefined ? newestFirst(call, input) : after(call, input, input.plain.after);
  },
});

async function newestFirst(call: Call, { page, filters }: OperationInput) {
  // The horizon first: what is committed in between is then seen twice rather than never.
  const horizon = await findEventHorizon(call.db);
  const { rows, totalCount } = await listEventRows(call.db, call.scope, page, filters);
  return {
    page,
    result: { rows: rows.map(toEvent), totalCount },
    extra: { cursor: formatPosition(horizon), has_more: page.page * page.perPage < totalCount },
  };
}

async function after(call: Call, { page, filters }: OperationInput, cursor: string) {
  if (page.page !== 1) throw invalid('page cannot be combined with after; send the last cursor instead');
  const position = await readPosition(call, cursor);
  // One more than is shown tells whether there is more.
  const found = await listEventsAfter(call.db, call.scope, position, filters, page.perPage + 1);
  const hasMore = found.rows.length > page.perPage;
  const rows = found.rows.slice(0, page.perPage);
  const totalCount = hasMore
    ? await countEventsAfter(call.db, call.scope, position, filters, mostCounted)
    : rows.length;
  // Whoever follows `next_page` here would ask for a page that does not exist.
  const meta = { ...pageMeta(page, totalCount), next_page: null };
  return {
    page,
    result: { rows: rows.map(toEvent), totalCount },
    extra: { meta, cursor: formatPosition(hasMore ? rows.at(-1)! : found.next), has_more: hasMore },
  };
}
