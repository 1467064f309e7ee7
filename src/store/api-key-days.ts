import { type Handle, statement } from '../db/database.ts';

// Who asks at the same time waits for the row and then sees what the other has taken.
const add = statement(
  'api_key_days_add',
  `insert into api_key_days as d (api_key_id, day, asked_cents) values ($1, $2, $3)
   on conflict (api_key_id, day) do update set asked_cents = d.asked_cents + excluded.asked_cents
    where d.asked_cents + excluded.asked_cents <= $4
   returning asked_cents`,
);
const find = statement('api_key_days_find', 'select asked_cents from api_key_days where api_key_id = $1 and day = $2');

/**
 * Adds to what a key has asked for on a day, unless that would be more than `mostCents`; `cents` alone must not be.
 * @returns whether it was added.
 */
export async function addToKeyDay(
  tx: Handle,
  apiKeyId: string,
  day: string,
  cents: number,
  mostCents: number,
): Promise<boolean> {
  return (await tx.maybeOne(add, [apiKeyId, day, cents, mostCents])) !== undefined;
}

/** What a key has asked for on a day. */
export async function findKeyDay(db: Handle, apiKeyId: string, day: string): Promise<number> {
  return (await db.maybeOne<{ asked_cents: number }>(find, [apiKeyId, day]))?.asked_cents ?? 0;
}
