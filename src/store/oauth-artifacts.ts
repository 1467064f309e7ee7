import { type Handle, statement } from '../db/database.ts';
import { connectingRoles } from '../model/oauth-connection.ts';

/** One thing that a client holds, or that lies between two of its requests. */
interface OauthArtifact {
  model: string;
  idHash: Buffer;
  /** Sealed. */
  payload: Buffer;
  connectionId: string | null;
  clientId: string | null;
  scope: string | null;
  audience: string | null;
  expiresAt: Date | null;
}

const put = statement(
  'oauth_artifacts_put',
  `insert into oauth_artifacts (model, id_hash, payload, connection_id, client_id, scope, audience, expires_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (model, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
);
const find = statement(
  'oauth_artifacts_find',
  `select a.payload, a.consumed_at from oauth_artifacts a
    where a.model = $1 and a.id_hash = $2 and (a.expires_at is null or a.expires_at > $3)
      and (a.connection_id is null or exists (
        select from oauth_connections c
          join memberships s on s.user_id = c.user_id and s.merchant_id = c.merchant_id
         where c.id = a.connection_id and c.revoked_at is null and s.role = any($4)))`,
);
const consumeOnce = statement(
  'oauth_artifacts_consume_once',
  'update oauth_artifacts set consumed_at = $3 where model = $1 and id_hash = $2 and consumed_at is null',
);
const connectionOf = statement(
  'oauth_artifacts_connection_of',
  'select connection_id from oauth_artifacts where model = $1 and id_hash = $2',
);
const remove = statement('oauth_artifacts_remove', 'delete from oauth_artifacts where model = $1 and id_hash = $2');
const sweep = statement(
  'oauth_artifacts_sweep',
  `delete from oauth_artifacts where (model, id_hash) in (
     select model, id_hash from oauth_artifacts where expires_at < $1 order by expires_at limit $2)`,
);

/** Writes an artifact, or what has changed of one that is there. */
export async function putOauthArtifact(db: Handle, artifact: OauthArtifact, now: Date): Promise<void> {
  const { model, idHash, payload, connectionId, clientId, scope, audience, expiresAt } = artifact;
  await db.run(put, [model, idHash, payload, connectionId, clientId, scope, audience, expiresAt, now]);
}

/** An artifact that has not expired and whose connection, if it has one, stands. */
export function findOauthArtifact(
  db: Handle,
  model: string,
  idHash: Buffer,
  now: Date,
): Promise<{ payload: Buffer; consumed_at: Date | null } | undefined> {
  return db.maybeOne(find, [model, idHash, now, connectingRoles]);
}

/** Notes the first use, in one statement: of several processes one succeeds. @returns whether this was the first. */
export async function consumeOauthArtifact(db: Handle, model: string, idHash: Buffer, now: Date): Promise<boolean> {
  return (await db.run(consumeOnce, [model, idHash, now])) === 1;
}

/** Which connection an artifact belongs to. */
export async function findConnectionOfArtifact(
  db: Handle,
  model: string,
  idHash: Buffer,
): Promise<string | null | undefined> {
  return (await db.maybeOne<{ connection_id: string | null }>(connectionOf, [model, idHash]))?.connection_id;
}

export async function deleteOauthArtifact(db: Handle, model: string, idHash: Buffer): Promise<void> {
  await db.run(remove, [model, idHash]);
}

/** Removes a batch of what has expired. */
export function sweepOauthArtifacts(db: Handle, now: Date, batchSize: number): Promise<number> {
  return db.run(sweep, [now, batchSize]);
}
