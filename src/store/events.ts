import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';

export interface NewEvent {
  id: string;
  kind: string;
  subjectId: string;
  /** What makes a second event of the kind about the same subject a different fact; '' when there can be only one. */
  dedupe: string;
  body: string;
}

const insert = statement(
  'events_insert',
  `insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at)
   select id, $1, $2, kind, subject_id, dedupe, body, $3
     from unnest($4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[])
          as t (id, kind, subject_id, dedupe, body)`,
);

/** Adds events in the given order, in the transaction of the fact they tell. */
export async function insertEvents(tx: Handle, scope: Scope, events: readonly NewEvent[], now: Date): Promise<void> {
  await tx.run(insert, [
    scope.merchantId,
    scope.livemode,
    now,
    events.map((event) => event.id),
    events.map((event) => event.kind),
    events.map((event) => event.subjectId),
    events.map((event) => event.dedupe),
    events.map((event) => event.body),
  ]);
}
