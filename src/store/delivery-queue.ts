import { type Handle, statement } from '../db/database.ts';

/**
 * The sending side of deliveries, across all merchants. One lane per endpoint: every statement here touches the rows it
 * takes and no others, so an endpoint with ten thousand waiting rows costs its neighbours nothing. Leases run by the
 * database's clock, the schedule by the business clock.
 */

// Jumps from lane to lane through the index instead of reading every waiting row (a loose index scan).
const laneHeads = statement(
  'queue_lane_heads',
  `with recursive lane as (
     (select webhook_id, next_try_at from deliveries where state = 'waiting'
       order by webhook_id, next_try_at limit 1)
     union all
     select next.* from lane cross join lateral (
       select webhook_id, next_try_at from deliveries where state = 'waiting' and webhook_id > lane.webhook_id
        order by webhook_id, next_try_at limit 1) next
   )
   select lane.webhook_id, lane.next_try_at from lane
    where exists (select from webhooks w where w.id = lane.webhook_id and w.active)`,
);
const activeLanes = statement(
  'queue_active_lanes',
  'select id, merchant_id from webhooks where merchant_id = any($1::uuid[]) and active',
);
// The event is joined where the row is taken: a delivery whose event is gone is never claimed. A claim need not be on disk
// before the attempt begins: should the server crash, it is a lost lease like any other. Outcomes are.
const claim = statement(
  'queue_claim',
  `with lane as (
     select w.id, w.url, w.secret, w.previous_secret, w.previous_secret_until, t.room
       from unnest($1::uuid[], $2::integer[]) as t (id, room) join webhooks w on w.id = t.id and w.active
   ), due as (
     select d.* from lane cross join lateral (
       select d.id, e.body, e.created_at as event_at
         from deliveries d join events e on e.id = d.event_id
        where d.webhook_id = lane.id and d.state = 'waiting' and d.next_try_at <= $3
        order by d.next_try_at, d.event_seq
        limit lane.room
        for update of d skip locked) d
   ), claimed as (
     update deliveries d set state = 'sending', claim = claim + 1,
            lease_until = clock_timestamp() + make_interval(secs => $4)
       from due where d.id = due.id
     returning d.id, d.webhook_id, d.event_id, d.event_seq, d.claim, d.tries, due.body, due.event_at
   )
   select c.id, c.webhook_id, c.event_id, c.claim, c.tries, c.body, c.event_at,
          lane.url, lane.secret, lane.previous_secret, lane.previous_secret_until
     from claimed c join lane on lane.id = c.webhook_id,
          (select set_config('synchronous_commit', 'off', true)) as at_once
    order by c.event_seq`,
);
const returnLost = statement(
  'queue_return_lost',
  `update deliveries set state = 'waiting', lease_until = null
    where state = 'sending' and lease_until <= clock_timestamp()`,
);
const release = statement(
  'queue_release',
  `update deliveries set state = 'waiting', lease_until = null where id = $1 and claim = $2 and state = 'sending'`,
);
// A row that came back to waiting with its lease and was not claimed since: the outcome is still news. The claim is used up
// with it, so that an outcome which is written again, because the answer of its commit was lost, changes nothing.
const finish = statement(
  'queue_finish',
  `with outcome as (
     select * from unnest($2::uuid[], $3::integer[], $4::boolean[], $5::text[], $6::timestamptz[], $7::integer[],
                          $8::text[], $9::text[], $10::integer[], $11::timestamptz[])
       with ordinality
       as t (id, claim, good, state, next_try_at, status, excerpt, error, duration_ms, ended_at, number)
   ), done as (
     update deliveries d
        set state = o.state, claim = d.claim + 1, attempts = d.attempts + 1,
            tries = case when o.good then d.tries else d.tries + 1 end,
            next_try_at = o.next_try_at, lease_until = null, last_attempt_at = o.ended_at,
            response_status = o.status, response_excerpt = o.excerpt, error = o.error, duration_ms = o.duration_ms,
            delivered_at = case when o.good then o.ended_at end
       from outcome o
      where d.id = o.id and d.claim = o.claim and d.state in ('sending', 'waiting')
     returning o.good, o.number, o.ended_at
   ), tally as (
     select count(*) filter (where good) as good, count(*) filter (where not good) as bad, max(ended_at) as last,
            string_agg(case when good then '1' else '0' end, '' order by number) as outcomes
       from done
   )
   update webhooks w
      set success_count = success_count + tally.good, failure_count = failure_count + tally.bad,
          last_triggered_at = greatest(last_triggered_at, tally.last),
          recent_outcomes = right(recent_outcomes || tally.outcomes, 100)
     from tally where w.id = $1 and tally.outcomes is not null`,
);

interface LaneHead {
  webhook_id: string;
  next_try_at: Date;
}

/** The earliest waiting delivery of each active endpoint that has one. */
export function listLaneHeads(db: Handle): Promise<LaneHead[]> {
  return db.many(laneHeads);
}

/** The active endpoints of these merchants, in both modes. */
export function listActiveLanes(
  db: Handle,
  merchantIds: readonly string[],
): Promise<{ id: string; merchant_id: string }[]> {
  return db.many(activeLanes, [merchantIds]);
}

/** A delivery that this process may send until its lease ends. */
export interface ClaimedDelivery {
  id: string;
  webhook_id: string;
  event_id: string;
  claim: number;
  tries: number;
  body: string;
  event_at: Date;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
}

/** Takes up to `room` due deliveries of each lane, first due first. No other process gets them meanwhile. */
export function claimDeliveries(
  db: Handle,
  lanes: readonly { id: string; room: number }[],
  now: Date,
  leaseSeconds: number,
): Promise<ClaimedDelivery[]> {
  return db.many(claim, [lanes.map((lane) => lane.id), lanes.map((lane) => lane.room), now, leaseSeconds]);
}

/** Deliveries whose sender died wait again; their try does not count. @returns how many. */
export function returnLostDeliveries(db: Handle): Promise<number> {
  return db.run(returnLost);
}

/** Gives a claim back without an attempt. */
export async function releaseDelivery(db: Handle, id: string, claim: number): Promise<void> {
  await db.run(release, [id, claim]);
}

export interface AttemptOutcome {
  id: string;
  claim: number;
  good: boolean;
  state: 'delivered' | 'waiting' | 'failed';
  nextTryAt: Date | null;
  status: number | null;
  excerpt: string | null;
  error: string | null;
  durationMillis: number;
  endedAt: Date;
}

/** Writes how attempts at one endpoint ended, with its counters. An outcome whose claim was taken over is left out. */
export async function finishAttempts(
  db: Handle,
  webhookId: string,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  await db.run(finish, [
    webhookId,
    outcomes.map((one) => one.id),
    outcomes.map((one) => one.claim),
    outcomes.map((one) => one.good),
    outcomes.map((one) => one.state),
    outcomes.map((one) => one.nextTryAt),
    outcomes.map((one) => one.status),
    outcomes.map((one) => one.excerpt),
    outcomes.map((one) => one.error),
    outcomes.map((one) => one.durationMillis),
    outcomes.map((one) => one.endedAt),
  ]);
}
