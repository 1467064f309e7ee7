import { type Handle, statement } from '../db/database.ts';

const put = statement(
  'oauth_clients_put',
  `insert into oauth_clients (id, metadata, created_at) values ($1, $2, $3)
   on conflict (id) do update set metadata = excluded.metadata`,
);
const find = statement('oauth_clients_find', 'select metadata from oauth_clients where id = $1');
const sweep = statement(
  'oauth_clients_sweep',
  `delete from oauth_clients where id in (
     select id from oauth_clients k
      where created_at < $1 and not exists (select from oauth_connections c where c.client_id = k.id)
      limit $2)`,
);

export async function putOauthClient(db: Handle, id: string, metadata: Buffer, now: Date): Promise<void> {
  await db.run(put, [id, metadata, now]);
}

/** What a client said of itself, sealed. */
export async function findOauthClient(db: Handle, id: string): Promise<Buffer | undefined> {
  return (await db.maybeOne<{ metadata: Buffer }>(find, [id]))?.metadata;
}

/** Removes a batch of clients from before that nobody has connected, with all that they hold. */
export function sweepOauthClients(db: Handle, before: Date, batchSize: number): Promise<number> {
  return db.run(sweep, [before, batchSize]);
}
