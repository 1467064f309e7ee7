import { type Handle, statement } from '../db/database.ts';

/** A sealed value of the whole installation. */
export interface Setting {
  readonly key: string;
  readonly value: Buffer;
}

const find = statement('settings_find', 'select value from settings where key = $1');
const insert = statement('settings_insert', 'insert into settings (key, value) values ($1, $2)');
const lock = statement('settings_lock', 'lock table settings in share row exclusive mode');
// One for each secrets key in use; the first one's was named without it.
const checks = statement(
  'settings_secrets_checks',
  `select key, value from settings where key = 'secrets_check' or key like 'secrets\\_check %' order by key`,
);
const dropChecks = statement(
  'settings_drop_secrets_checks',
  `delete from settings
    where (key = 'secrets_check' or key like 'secrets\\_check %') and substring(value from 2 for 4) <> decode($1, 'hex')`,
);

export async function findSetting(db: Handle, key: string): Promise<Buffer | undefined> {
  return (await db.maybeOne<{ value: Buffer }>(find, [key]))?.value;
}

export async function insertSetting(tx: Handle, key: string, value: Buffer): Promise<void> {
  await tx.run(insert, [key, value]);
}

/** Until the transaction ends nobody else writes settings or takes this lock. */
export async function lockSettings(tx: Handle): Promise<void> {
  await tx.run(lock);
}

/** The checks of all secrets keys that values may be sealed under. */
export function listSecretsChecks(db: Handle): Promise<Setting[]> {
  return db.many(checks);
}

/** Whether anything was ever sealed here. */
export async function hasSecretsChecks(db: Handle): Promise<boolean> {
  return (await listSecretsChecks(db)).length > 0;
}

/** Forgets every secrets key but one. */
export async function dropOtherSecretsChecks(tx: Handle, keyId: string): Promise<void> {
  await tx.run(dropChecks, [keyId]);
}
