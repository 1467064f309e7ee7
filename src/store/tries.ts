import { type Handle, statement } from '../db/database.ts';

// One statement, so that tries at the same instant are all counted.
const take = statement(
  'tries_take',
  `insert into tries as t (subject, moments, was_taken, last_at) values ($1, array[$2::timestamptz], true, $2)
   on conflict (subject) do update
      set (moments, was_taken, last_at) = (
            select coalesce(array_agg(m order by m), '{}') || case when count(*) < $4 then array[$2::timestamptz] else '{}' end,
                   count(*) < $4, $2
              from unnest(t.moments) m where m > $3)
   returning was_taken, moments[1] as oldest`,
);
const forget = statement('tries_forget', 'delete from tries where subject = $1');

export interface Try {
  subject: string;
  now: Date;
  /** Tries up to then count no more. */
  forgottenBefore: Date;
  most: number;
}

/** Counts a try of all processes unless `most` are counted already. @returns whether it was counted, and the oldest that is. */
export async function takeSharedTry(
  db: Handle,
  { subject, now, forgottenBefore, most }: Try,
): Promise<{ was_taken: boolean; oldest: Date }> {
  return (await db.maybeOne<{ was_taken: boolean; oldest: Date }>(take, [subject, now, forgottenBefore, most]))!;
}

export async function forgetSharedTries(db: Handle, subject: string): Promise<void> {
  await db.run(forget, [subject]);
}
