import { dynamicStatement, type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import { type FilterColumns, filterConditions } from '../db/where.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { newId } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { EventPosition, EventRow } from '../model/event.ts';

interface NewEvent {
  id: string;
  kind: string;
  subjectId: string;
  /** What makes a second event of the kind about the same subject a different fact; '' when there can be only one. */
  dedupe: string;
  body: string;
}

// The deliveries go in with the events: no crash can part a fact from those who want to hear of it. The ids of the
// deliveries are UUIDv7 like all others: $9 gives the time, the database the random part of each.
const insert = statement(
  'events_insert',
  `with event as (
     insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at)
     select id, $1, $2, kind, subject_id, dedupe, body, $3
       from unnest($4::text[], $5::text[], $6::uuid[], $7::text[], $8::text[])
            as t (id, kind, subject_id, dedupe, body)
     returning id, seq, kind
   )
   insert into deliveries (id, webhook_id, event_id, event_seq, state, next_try_at, created_at)
   select (left($9, 15) || substr(gen_random_uuid()::text, 16))::uuid, w.id, event.id, event.seq, 'waiting', $3, $3
     from event join webhooks w on w.merchant_id = $1 and w.livemode = $2 and w.active
                               and w.events && array[event.kind, '*']`,
);
const insertForOne = statement(
  'events_insert_for_one',
  `insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at, webhook_id)
   values ($1, $2, $3, $4, $5, $1, $6, $7, $5)`,
);

const columns = 'id, kind, body, created_at, xid::text as xid, seq';
const inScope = 'merchant_id = $1 and livemode = $2 and webhook_id is null';

const find = statement('events_find', `select ${columns} from events where ${inScope} and id = $3`);
// The oldest running transaction that might record events: $1 names transactions of other databases, which cannot.
const horizonOf = (foreign: string) => `(
  select coalesce((select min(x) from pg_snapshot_xip(s) x where x::xid::text <> all(${foreign}::text[])),
                  pg_snapshot_xmax(s)) as xid
    from pg_current_snapshot() s)`;
const horizon = statement('events_horizon', `select xid::text as xid from ${horizonOf('$1')} h`);
// Asked before the snapshot is taken: a number seen there belongs to that database for good.
const foreignXids = statement(
  'events_foreign_xids',
  `select backend_xid::text as xid from pg_stat_activity
    where backend_xid is not null and datid <> (select oid from pg_database where datname = current_database())`,
);
const readAfter = statement('events_after', afterText(''));
// Rows that a restored database brought along may carry numbers that this server has yet to reach; until then readers
// would wait for transactions that never were.
const adopt = statement(
  'events_adopt',
  `update events set xid = pg_current_xact_id()
    where xid >= pg_snapshot_xmax(pg_current_snapshot())
      and exists (select from (select xid from events order by seq desc limit 1000) newest
                   where newest.xid >= pg_snapshot_xmax(pg_current_snapshot()))`,
);

// One statement, so that the horizon and the rows belong to one snapshot.
function afterText(where: string): string {
  return `select h.xid::text as horizon, e.*,
      exists (select from events where ${inScope} and xid >= h.xid) as pending
    from ${horizonOf('$6')} h
    left join lateral (
      select ${columns} from events
       where ${inScope} and (events.xid, seq) > ($3::text::xid8, $4::bigint) and events.xid < h.xid${where}
       order by events.xid, seq
       limit $5) e on true`;
}

/** Adds events in the given order, in the transaction of the fact they tell, and queues them for who subscribed. */
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
    newId(),
  ]);
}

/** Adds an event that is meant for one endpoint and shows up nowhere else. */
export async function insertEventForWebhook(
  tx: Handle,
  scope: Scope,
  webhookId: string,
  event: Pick<NewEvent, 'id' | 'kind' | 'body'>,
  now: Date,
): Promise<void> {
  const { id, kind, body } = event;
  await tx.run(insertForOne, [id, scope.merchantId, scope.livemode, kind, webhookId, body, now]);
}

export function findEvent(db: Handle, scope: Scope, id: string): Promise<EventRow | undefined> {
  return db.maybeOne(find, [scope.merchantId, scope.livemode, id]);
}

const filterColumns: FilterColumns = { type: 'kind', created_at: 'created_at' };

/** Newest first, as committed until now. */
export function listEvents(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<EventRow>> {
  return listPage<EventRow>(
    db,
    {
      select: `select ${columns} from events`,
      countFrom: 'from events',
      where: inScope,
      values: [scope.merchantId, scope.livemode],
      columns: filterColumns,
      // With the table's name: alone it would be the column that was selected, which is text (9 after 10).
      orderBy: 'events.xid desc, events.seq desc',
    },
    filters,
    page,
  );
}

/** The place from which everything is seen that is not committed yet, and perhaps some that just was. */
export async function findEventHorizon(db: Handle): Promise<EventPosition> {
  const foreign = await listForeignXids(db);
  return { xid: (await db.maybeOne<{ xid: string }>(horizon, [foreign]))!.xid, seq: 0 };
}

const ahead = statement('events_ahead', 'select $1::text::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as ahead');

/** Whether no reading of this server can have reached the position yet. */
export async function isAheadOfServer(db: Handle, { xid }: EventPosition): Promise<boolean> {
  return (await db.maybeOne<{ ahead: boolean }>(ahead, [xid]))!.ahead;
}

/** Running transactions of other databases on the same server. They count in the same numbers and have no events. */
async function listForeignXids(db: Handle): Promise<string[]> {
  return (await db.many<{ xid: string }>(foreignXids)).map(({ xid }) => xid);
}

interface EventsAfter {
  rows: EventRow[];
  /** Where to go on: behind the last row, or as far as could be looked. */
  next: EventPosition;
  /** There are rows that cannot be read yet because an older transaction is still running. */
  pending: boolean;
}

/**
 * Events behind a position, oldest first, without gaps. Commit order is not the order of numbers: a transaction that
 * began earlier may commit later, and its events would be passed by. So only events of transactions below the oldest
 * running one are read; nothing can appear among those any more. (A long transaction in another database of the same
 * server would hold them up as well, so those are left out where they stand in the way.)
 */
export async function listEventsAfter(
  db: Handle,
  scope: Scope,
  after: EventPosition,
  filters: readonly Filter[],
  limit: number,
): Promise<EventsAfter> {
  const found = await readEventsAfter(db, scope, after, filters, limit, []);
  if (!found.pending) return found;
  const foreign = await listForeignXids(db);
  return foreign.length === 0 ? found : readEventsAfter(db, scope, after, filters, limit, foreign);
}

async function readEventsAfter(
  db: Handle,
  scope: Scope,
  after: EventPosition,
  filters: readonly Filter[],
  limit: number,
  foreign: readonly string[],
): Promise<EventsAfter> {
  const values: unknown[] = [scope.merchantId, scope.livemode, after.xid, after.seq, limit, foreign];
  const where = filterConditions(filters, filterColumns, values);
  type Row = EventRow & { id: string | null; horizon: string; pending: boolean };
  const rows = await db.many<Row>(where === '' ? readAfter : dynamicStatement(afterText(where)), values);
  const found = rows.filter((row) => row.id !== null);
  const last = found.length === limit ? found.at(-1) : undefined;
  return { rows: found, next: nextPosition(after, last, rows[0]!.horizon), pending: rows[0]!.pending };
}

function nextPosition(after: EventPosition, last: EventRow | undefined, reached: string): EventPosition {
  if (last) return { xid: last.xid, seq: last.seq };
  // Never backwards: the position may lie ahead of what can be read now.
  return BigInt(after.xid) >= BigInt(reached) ? after : { xid: reached, seq: 0 };
}

/** How many events lie behind a position, those included that cannot be read yet; counted no further than `most`. */
export async function countEventsAfter(
  db: Handle,
  scope: Scope,
  after: EventPosition,
  filters: readonly Filter[],
  most: number,
): Promise<number> {
  const values: unknown[] = [scope.merchantId, scope.livemode, after.xid, after.seq, most];
  const where = filterConditions(filters, filterColumns, values);
  const text = `select count(*) as count from (
      select from events
       where ${inScope} and (xid, seq) > ($3::text::xid8, $4::bigint)${where}
       limit $5) e`;
  return (await db.maybeOne<{ count: number }>(dynamicStatement(text), values))!.count;
}

/** After a restore: gives events from a server that counted further numbers of this one. @returns how many. */
export function adoptEvents(db: Handle): Promise<number> {
  return db.run(adopt);
}

const ofSubjects = statement(
  'events_of_subjects',
  'select id, kind, created_at from events where subject_id = any($1::uuid[]) and webhook_id is null order by seq',
);

/** What was said about these subjects, oldest first. The subjects are ones the caller may see. */
export function listEventsOfSubjects(
  db: Handle,
  subjectIds: readonly string[],
): Promise<{ id: string; kind: string; created_at: Date }[]> {
  return db.many(ofSubjects, [subjectIds]);
}
