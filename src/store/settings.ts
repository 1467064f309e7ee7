import { type Handle, statement } from '../db/database.ts';

const find = statement('settings_find', 'select value from settings where key = $1');
const insert = statement(
  'settings_insert',
  'insert into settings (key, value) values ($1, $2) on conflict (key) do nothing',
);

export async function findSetting(db: Handle, key: string): Promise<Buffer | undefined> {
  return (await db.maybeOne<{ value: Buffer }>(find, [key]))?.value;
}

/** Keeps a value once: what is there already stays. */
export async function insertSettingOnce(db: Handle, key: string, value: Buffer): Promise<void> {
  await db.run(insert, [key, value]);
}
