import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';

const find = statement('access_keys_find', 'select key from access_keys where merchant_id = $1 and livemode = $2');
const insert = statement(
  'access_keys_insert',
  `insert into access_keys (merchant_id, livemode, key, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
);

/** Sealed. */
export async function findAccessKey(db: Handle, scope: Scope): Promise<Buffer | undefined> {
  return (await db.maybeOne<{ key: Buffer }>(find, [scope.merchantId, scope.livemode]))?.key;
}

/** Does nothing where there is one already. */
export async function insertAccessKeyOnce(db: Handle, scope: Scope, sealed: Buffer, now: Date): Promise<void> {
  await db.run(insert, [scope.merchantId, scope.livemode, sealed, now]);
}
