import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { insertEventForWebhook, insertEvents } from '../store/events.ts';
import { type EventBody, type EventKind, eventCatalog } from './catalog.ts';

export interface EventFact {
  kind: EventKind;
  subjectId: string;
  /** The object as this transaction commits it. */
  data: unknown;
  /** Names one fact among several of a kind about the same subject; left out where there can be only one. */
  dedupe?: string;
}

/**
 * Records events in the transaction of the facts they tell, so that no crash can part them, and queues them for the
 * endpoints that subscribed. Whoever waits for news is woken once they are committed. The body is built here, once; every
 * attempt sends these bytes.
 */
export async function recordEvents(tx: Handle, scope: Scope, facts: readonly EventFact[], now: Date): Promise<void> {
  const events = facts.map(({ kind, subjectId, data, dedupe }) => {
    const id = newEventId();
    const head = { id, event: kind, created_at: now.toISOString(), livemode: scope.livemode };
    const body = JSON.stringify(eventCatalog[kind].isFlat ? { ...head, ...(data as object) } : { ...head, data });
    return { id, kind, subjectId, dedupe: dedupe ?? '', body };
  });
  await insertEvents(tx, scope, events, now);
  tx.wake('event_recorded', scope.merchantId);
}

/**
 * Records an example as if it happened now, for one endpoint to be tried out with. It says that it is a test and shows up
 * in no list. @returns the event's id.
 */
export async function recordTestEvent(
  tx: Handle,
  scope: Scope,
  webhookId: string,
  kind: EventKind,
  example: EventBody,
  now: Date,
): Promise<string> {
  const id = newEventId();
  const moment = now.toISOString();
  const body = JSON.stringify({ ...example, id, created_at: moment, livemode: scope.livemode, test: true });
  await insertEventForWebhook(tx, scope, webhookId, { id, kind, body }, now);
  tx.wake('event_recorded', scope.merchantId);
  return id;
}

function newEventId(): string {
  return `evt_${randomBase62(24)}`;
}
