import { type Handle, statement } from '../db/database.ts';

const idempotency = statement('sweep_idempotency_keys', 'delete from idempotency_keys where created_at < $1');
const sessions = statement('sweep_user_sessions', 'delete from user_sessions where expires_at < $1');
const rateWindows = statement('sweep_rate_windows', 'delete from rate_windows where starts_at < $1');
const tries = statement('sweep_tries', 'delete from tries where last_at < $1');
const requests = statement('sweep_invoice_requests', 'delete from invoice_requests where created_at < $1');
// A day of any time zone is over for good two days later.
const keyDays = statement(
  'sweep_api_key_days',
  `delete from api_key_days where day < ($1::timestamptz at time zone 'UTC')::date - 1`,
);

// Deliveries and events are looked at from their oldest end, a batch at a time: what it costs does not depend on how many
// there are. Ids of deliveries rise with time, and so do the numbers of events.
const deliveries = statement(
  'sweep_deliveries',
  `delete from deliveries where id in (select id from deliveries order by id limit $2)
      and created_at < $1 and state <> 'sending'`,
);
const events = statement(
  'sweep_events',
  `delete from events where seq in (select seq from events order by seq limit $2) and created_at < $1`,
);
// From endpoint to endpoint through the index; each that is gone loses a batch.
const orphans = statement(
  'sweep_orphaned_deliveries',
  `with recursive lane as (
     (select webhook_id from deliveries order by webhook_id limit 1)
     union all
     select next.webhook_id from lane cross join lateral (
       select webhook_id from deliveries where webhook_id > lane.webhook_id order by webhook_id limit 1) next
   )
   delete from deliveries where id in (
     select d.id from lane cross join lateral (
       select id from deliveries where webhook_id = lane.webhook_id limit $1) d
      where not exists (select from webhooks w where w.id = lane.webhook_id)
      limit $1)`,
);

export const batchSize = 1000;

/** Removes what nobody can ask for any more. @returns the number of rows. */
export async function sweepBefore(db: Handle, moment: Date): Promise<number> {
  let removed = 0;
  for (const old of [idempotency, requests, sessions, keyDays]) removed += await db.run(old, [moment]);
  return removed;
}

/** Removes windows of requests that began before, and tries that ended before. @returns the number of rows. */
export async function sweepCounts(db: Handle, before: Date): Promise<number> {
  return (await db.run(rateWindows, [before])) + (await db.run(tries, [before]));
}

/** Removes a batch of old deliveries. @returns the number of rows; less than a full batch means that was all. */
export function sweepDeliveries(db: Handle, before: Date): Promise<number> {
  return db.run(deliveries, [before, batchSize]);
}

/** Removes a batch of what waits for endpoints that were deleted. */
export function sweepOrphanedDeliveries(db: Handle): Promise<number> {
  return db.run(orphans, [batchSize]);
}

/** Removes a batch of old events; their deliveries must have gone before. */
export function sweepEvents(db: Handle, before: Date): Promise<number> {
  return db.run(events, [before, batchSize]);
}

export function isFullBatch(removed: number): boolean {
  return removed === batchSize;
}
