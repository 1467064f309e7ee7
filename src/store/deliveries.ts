import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { newId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { DeliveryRow } from '../model/delivery.ts';

/** What merchants see and ask of deliveries. How they are sent is in `delivery-queue.ts`. */

const select = `select d.id, d.webhook_id, w.livemode, d.event_id, e.kind, d.state, d.tries, d.attempts, d.next_try_at,
    d.last_attempt_at, d.response_status, d.response_excerpt, d.error, d.duration_ms, d.delivered_at, d.created_at
  from deliveries d join webhooks w on w.id = d.webhook_id join events e on e.id = d.event_id`;
const inScope = 'd.webhook_id = $1 and w.merchant_id = $2 and w.livemode = $3';

const find = statement('deliveries_find', `${select} where ${inScope} and d.id = $4`);
const findOfEvent = statement('deliveries_find_of_event', `${select} where ${inScope} and d.event_id = $4`);
const requeue = statement(
  'deliveries_requeue',
  `update deliveries d set state = 'waiting', tries = 0, next_try_at = $5, delivered_at = null
     from webhooks w
    where ${inScope} and w.id = d.webhook_id and d.id = $4 and d.state <> 'sending'`,
);
const insertOne = statement(
  'deliveries_insert_one',
  `insert into deliveries (id, webhook_id, event_id, event_seq, state, next_try_at, created_at)
   select $1, $2, id, seq, 'waiting', $4, $4 from events where id = $3`,
);
// One row more than is wanted tells whether there are more and where to go on.
const replay = statement(
  'deliveries_replay',
  `with picked as (
     select e.id, e.seq, e.created_at, row_number() over (order by e.created_at, e.seq) as number
       from (select e.id, e.seq, e.created_at
               from events e join webhooks w on w.id = $1 and w.merchant_id = $2 and w.livemode = $3
              where e.merchant_id = $2 and e.livemode = $3 and e.webhook_id is null and e.created_at >= $4
                and w.events && array[e.kind, '*']
                and (not $5 or not exists (select from deliveries d
                      where d.webhook_id = $1 and d.event_seq = e.seq and d.state <> 'failed'))
              order by e.created_at, e.seq
              limit $6 + 1) e
   ), queued as (
     insert into deliveries as d (id, webhook_id, event_id, event_seq, state, next_try_at, created_at)
     select (left($8, 15) || substr(gen_random_uuid()::text, 16))::uuid, $1, id, seq, 'waiting', $7, $7
       from picked where number <= $6
     on conflict (webhook_id, event_seq) do update
       set state = 'waiting', tries = 0, next_try_at = $7, delivered_at = null where d.state <> 'sending'
     returning 1
   )
   select (select count(*) from queued) as queued, (select created_at from picked where number = $6 + 1) as next_since`,
);

export function findDelivery(
  db: Handle,
  scope: Scope,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  return db.maybeOne(find, [webhookId, scope.merchantId, scope.livemode, id]);
}

export function findDeliveryOfEvent(
  db: Handle,
  scope: Scope,
  webhookId: string,
  eventId: string,
): Promise<DeliveryRow | undefined> {
  return db.maybeOne(findOfEvent, [webhookId, scope.merchantId, scope.livemode, eventId]);
}

/** Starts a delivery over, with all its tries; one that is being sent right now is left alone. */
export async function requeueDelivery(
  tx: Handle,
  scope: Scope,
  webhookId: string,
  id: string,
  now: Date,
): Promise<void> {
  await tx.run(requeue, [webhookId, scope.merchantId, scope.livemode, id, now]);
}

/** Queues one event for one endpoint, both of which the caller may see. */
export async function insertDelivery(tx: Handle, webhookId: string, eventId: string, now: Date): Promise<void> {
  await tx.run(insertOne, [newId(), webhookId, eventId, now]);
}

interface Replay {
  since: Date;
  /** Leave out what was delivered or is on its way. */
  onlyMissing: boolean;
  limit: number;
  now: Date;
}

/**
 * Queues the events since a moment, oldest first, that the endpoint subscribes to: those it had and those it never got
 * because it was inactive or not there. @returns how many, and from when to go on if there are more than `limit`.
 */
export async function replayEvents(
  tx: Handle,
  scope: Scope,
  webhookId: string,
  { since, onlyMissing, limit, now }: Replay,
): Promise<{ queued: number; nextSince: Date | null }> {
  const row = await tx.maybeOne<{ queued: number; next_since: Date | null }>(replay, [
    webhookId,
    scope.merchantId,
    scope.livemode,
    since,
    onlyMissing,
    limit,
    now,
    newId(),
  ]);
  return { queued: row!.queued, nextSince: row!.next_since };
}

/** Newest event first. */
export function listDeliveries(
  db: Handle,
  scope: Scope,
  webhookId: string,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<DeliveryRow>> {
  return listPage<DeliveryRow>(
    db,
    {
      select,
      countFrom: `from deliveries d join webhooks w on w.id = d.webhook_id join events e on e.id = d.event_id`,
      where: inScope,
      values: [webhookId, scope.merchantId, scope.livemode],
      columns: { status: 'd.state', event: 'e.kind', event_id: 'd.event_id', created_at: 'd.created_at' },
      orderBy: 'd.event_seq desc',
    },
    filters,
    page,
  );
}
