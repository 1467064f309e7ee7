import { type Handle, statement } from '../db/database.ts';

// PostgreSQL shows the name of every session of our role; it goes with the session, however that ends.
const prefix = 'satline sealing ';

const others = statement(
  'sealing_sessions_others',
  `select distinct substring(application_name from ${prefix.length + 1}) as "keyId" from pg_stat_activity
    where datname = current_database() and application_name like '${prefix}%' and application_name <> $1
    order by 1`,
);

/** What sessions are called of a process that seals under the key with this id. */
export function sealingSessionName(keyId: string): string {
  return prefix + keyId;
}

/** Ids of the keys, other than this one, that running processes seal under. */
export async function listOtherSealingKeys(db: Handle, keyId: string): Promise<string[]> {
  return (await db.many<{ keyId: string }>(others, [sealingSessionName(keyId)])).map((row) => row.keyId);
}
