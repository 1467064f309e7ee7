import { type Handle, statement } from '../db/database.ts';

const insert = statement(
  'user_sessions_insert',
  `insert into user_sessions (id, user_id, token_hash, expires_at, created_at) values ($1, $2, $3, $4, $5)`,
);
const find = statement(
  'user_sessions_find',
  `select id, user_id from user_sessions where token_hash = $1 and expires_at > $2 and revoked_at is null`,
);
const revokeAll = statement(
  'user_sessions_revoke_all',
  'update user_sessions set revoked_at = $2 where user_id = $1 and revoked_at is null',
);

export interface NewUserSession {
  id: string;
  userId: string;
  tokenHash: Buffer;
  expiresAt: Date;
  now: Date;
}

export async function insertUserSession(tx: Handle, session: NewUserSession): Promise<void> {
  await tx.run(insert, [session.id, session.userId, session.tokenHash, session.expiresAt, session.now]);
}

/** The sign-in with this token hash, while it counts. */
export function findUserSession(
  db: Handle,
  tokenHash: Buffer,
  now: Date,
): Promise<{ id: string; user_id: string } | undefined> {
  return db.maybeOne(find, [tokenHash, now]);
}

/** Signs somebody out everywhere. @returns how many sign-ins ended. */
export function revokeUserSessions(tx: Handle, userId: string, now: Date): Promise<number> {
  return tx.run(revokeAll, [userId, now]);
}
