import type { Database } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { Pace } from '../kernel/pace.ts';
import type { EventPosition, EventRow } from '../model/event.ts';
import { listEventsAfter } from '../store/events.ts';

const batchSize = 100;
/** How often something happens while nothing happens. */
interface FollowPace {
  /** A signal can be lost, so a stream also looks by itself. */
  pollMillis: number;
  /** Something is said at least this often, so that proxies keep the connection and a dead one is noticed. */
  heartbeatMillis: number;
}
const usualPace: FollowPace = { pollMillis: 5000, heartbeatMillis: 15_000 };
/** Events that wait for an older transaction are looked for soon, then less and less often. */
const firstPauseMillis = 5;
const longestPauseMillis = 250;

interface Followed {
  /** Oldest first; empty when only the time has passed. */
  rows: readonly EventRow[];
  /** Reading can go on from here after the rows. */
  position: EventPosition;
}

/**
 * The events of a merchant behind a position and then as they happen, without gaps, until `signal` aborts. Only reads;
 * nothing is remembered of who follows.
 */
export async function* followEvents(
  db: Database,
  scope: Scope,
  start: EventPosition,
  filters: readonly Filter[],
  signal: AbortSignal,
  { pollMillis, heartbeatMillis }: FollowPace = usualPace,
): AsyncGenerator<Followed, void, void> {
  let position = start;
  const pace = new Pace();
  const stopListening = db.onWake('event_recorded', (merchantId) => {
    if (merchantId === scope.merchantId) pace.wake();
  });
  const onAbort = () => pace.wake();
  signal.addEventListener('abort', onAbort);

  try {
    let saidAt = performance.now();
    let soonMillis = firstPauseMillis;
    while (!signal.aborted) {
      const { rows, next, pending } = await listEventsAfter(db, scope, position, filters, batchSize);
      position = next;
      if (rows.length > 0 || performance.now() - saidAt >= heartbeatMillis) {
        yield { rows, position };
        saidAt = performance.now();
      }
      if (rows.length === batchSize) continue;
      soonMillis = pending ? Math.min(longestPauseMillis, soonMillis * 2) : firstPauseMillis;
      const untilHeartbeat = Math.max(1, saidAt + heartbeatMillis - performance.now());
      await pace.sleep(Math.min(pending ? soonMillis : pollMillis, untilHeartbeat));
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', onAbort);
  }
}
