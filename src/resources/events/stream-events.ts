import { eventKinds } from '../../events/catalog.ts';
import { followEvents } from '../../flows/follow-events.ts';
import { AppError } from '../../kernel/errors.ts';
import { word } from '../../kernel/filters.ts';
import { type EventPosition, type EventRow, formatPosition } from '../../model/event.ts';
import { type Call, operation, stream } from '../../operation/operation.ts';
import { findEventHorizon } from '../../store/events.ts';
import { readPosition } from './event-position.ts';

/** What a client that lost its connection waits before it comes back. */
const retryMillis = 2000;

export const streamEvents = operation({
  name: 'stream_events',
  summary: 'Follow events as they happen (server-sent events)',
  description:
    'Each message has the event’s id, its kind as `event:` and the webhook’s very bytes as `data:`. A client that comes ' +
    'back with `Last-Event-ID`, or with `after`, misses nothing; without them the stream begins now. While nothing ' +
    'happens a comment and the newest position are sent every 15 seconds.',
  method: 'GET',
  path: '/api/v1/m/events/stream',
  access: { permission: 'webhooks:read' },
  query: {
    filters: { type: word(...eventKinds) },
    plain: { after: { description: 'Id of an event or a cursor; empty: from the beginning. `Last-Event-ID` wins' } },
  },
  answer: stream('text/event-stream; charset=utf-8'),
  fails: ['validation_error', 'rate_limited'],
  tool: false,
  async run(call, { plain, filters, lastEventId }) {
    // An empty header names no event, as if it had not been sent.
    const after = lastEventId || plain.after;
    const start = after === undefined ? await findEventHorizon(call.db) : await readPosition(call, after);
    // Not to the end of the iteration: one that was never begun never ends.
    if (!call.parts.streams.take(call.signal, call.scope.merchantId)) {
      throw new AppError('rate_limited', 'Too many event streams are open; close one or use GET /api/v1/m/events', {
        retryAfterSeconds: 10,
      });
    }
    return messages(call, start, followEvents(call.parts.db, call.scope, start, filters, call.signal));
  },
});

async function* messages(
  call: Call,
  start: EventPosition,
  followed: ReturnType<typeof followEvents>,
): AsyncGenerator<string, void, void> {
  yield `retry: ${retryMillis}\n: connected\n${position(start)}`;
  try {
    for await (const { rows, position: reached } of followed) {
      yield rows.length > 0 ? rows.map(message).join('') : `: nothing new\n${position(reached)}`;
    }
  } catch (error) {
    // The client comes back by itself and goes on where it was.
    if (!call.signal.aborted) call.log.warn({ err: error }, 'an event stream broke off');
  }
}

// JSON never holds a bare line break, so the body is one line.
function message({ id, kind, body }: EventRow): string {
  return `id: ${id}\nevent: ${kind}\ndata: ${body}\n\n`;
}

/** An id without data is no message, but the client remembers it and can resume from there. */
function position(at: EventPosition): string {
  return `id: ${formatPosition(at)}\n\n`;
}
