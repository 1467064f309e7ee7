import { type Handle, statement } from '../db/database.ts';

// Rows are taken in one order, so that two processes that flush at once don't deadlock.
const add = statement(
  'rate_windows_add',
  `insert into rate_windows (subject, starts_at, count)
   select subject, starts_at, count from unnest($1::text[], $2::timestamptz[], $3::bigint[]) as t (subject, starts_at, count)
    order by subject, starts_at
   on conflict (subject, starts_at) do update set count = rate_windows.count + excluded.count
   returning subject, starts_at, count`,
);

interface RateCount {
  subject: string;
  startsAt: Date;
  count: number;
}

/** Adds counts to their windows. @returns the totals of all processes by `subject startsAt`, milliseconds. */
export async function addRateCounts(db: Handle, counts: readonly RateCount[]): Promise<Map<string, number>> {
  const rows = await db.many<{ subject: string; starts_at: Date; count: number }>(add, [
    counts.map(({ subject }) => subject),
    counts.map(({ startsAt }) => startsAt),
    counts.map(({ count }) => count),
  ]);
  return new Map(rows.map(({ subject, starts_at, count }) => [`${subject} ${starts_at.getTime()}`, count]));
}
