import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { insertEvents } from '../store/events.ts';
import type { EventKind } from './catalog.ts';

export interface EventFact {
  kind: EventKind;
  subjectId: string;
  /** The object as this transaction commits it. */
  data: unknown;
  /** Names one fact among several of a kind about the same subject; left out where there can be only one. */
  dedupe?: string;
}

/**
 * Records events in the transaction of the facts they tell, so that no crash can part them. The body is built here,
 * once; deliveries send these bytes.
 */
export async function recordEvents(tx: Handle, scope: Scope, facts: readonly EventFact[], now: Date): Promise<void> {
  const events = facts.map(({ kind, subjectId, data, dedupe }) => {
    const id = `evt_${randomBase62(24)}`;
    const body = JSON.stringify({ id, event: kind, created_at: now.toISOString(), livemode: scope.livemode, data });
    return { id, kind, subjectId, dedupe: dedupe ?? '', body };
  });
  await insertEvents(tx, scope, events, now);
}
