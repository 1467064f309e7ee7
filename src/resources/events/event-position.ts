import { invalid } from '../../kernel/errors.ts';
import { type EventPosition, eventsKeptDays, parsePosition } from '../../model/event.ts';
import type { Call } from '../../operation/operation.ts';
import { findEvent, isAheadOfServer } from '../../store/events.ts';

const eventIdShape = /^evt_[0-9A-Za-z]{1,64}$/;

/**
 * The position an `after` names: an event's own, or one that a list or stream gave out. Empty means the very beginning.
 * @throws {AppError} 422 when it names nothing of this merchant and mode, or comes from another database.
 */
export async function readPosition(call: Call, after: string): Promise<EventPosition> {
  if (after === '') return { xid: '0', seq: 0 };
  const position = parsePosition(after);
  if (position) {
    // Nothing would follow it until this server has counted as far, and all until then would be passed by.
    if (!(await isAheadOfServer(call.db, position))) return position;
    throw invalid(
      'after is a cursor of another database, from before a restore or a move; send the id of the last event you have seen',
    );
  }
  const event = eventIdShape.test(after) ? await findEvent(call.db, call.scope, after) : undefined;
  if (!event) {
    throw invalid(
      `after must be the id of one of your events of the last ${eventsKeptDays} days, or a cursor from a list of events`,
    );
  }
  return { xid: event.xid, seq: event.seq };
}
