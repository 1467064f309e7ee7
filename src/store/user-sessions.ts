import { type Handle, statement } from '../db/database.ts';
import type { SessionKind, UserSession } from '../model/user-session.ts';

const insert = statement(
  'user_sessions_insert',
  `insert into user_sessions (id, user_id, kind, token_hash, device, expires_at, last_used_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)`,
);
const find = statement(
  'user_sessions_find',
  `select id, user_id, last_used_at from user_sessions
    where token_hash = $1 and kind = $2 and expires_at > $3 and last_used_at > $4 and revoked_at is null`,
);
const findById = statement(
  'user_sessions_find_by_id',
  'select id from user_sessions where id = $1 and expires_at > $2 and revoked_at is null',
);
const noteUse = statement(
  'user_sessions_note_use',
  'update user_sessions set last_used_at = $2 where id = $1 and last_used_at < $2',
);
const list = statement(
  'user_sessions_list',
  `select id, kind, device, created_at, last_used_at from user_sessions
    where user_id = $1 and revoked_at is null and expires_at > $2
      and (kind = 'api' or (kind = 'web' and last_used_at > $3))
    order by last_used_at desc, id desc`,
);
const revoke = statement(
  'user_sessions_revoke',
  'update user_sessions set revoked_at = $3 where id = $1 and user_id = $2 and revoked_at is null',
);
const revokeByToken = statement(
  'user_sessions_revoke_by_token',
  `update user_sessions set revoked_at = $2 where token_hash = $1 and kind <> 'api' and revoked_at is null`,
);
const revokeAll = statement(
  'user_sessions_revoke_all',
  'update user_sessions set revoked_at = $2 where user_id = $1 and revoked_at is null',
);

const revokeOthers = statement(
  'user_sessions_revoke_others',
  'update user_sessions set revoked_at = $3 where user_id = $1 and id <> $2 and revoked_at is null',
);

interface NewUserSession {
  id: string;
  userId: string;
  kind: SessionKind;
  tokenHash: Buffer;
  device: string | null;
  expiresAt: Date;
  now: Date;
}

export async function insertUserSession(tx: Handle, session: NewUserSession): Promise<void> {
  const { id, userId, kind, tokenHash, device, expiresAt, now } = session;
  await tx.run(insert, [id, userId, kind, tokenHash, device, expiresAt, now]);
}

/** The sign-in of a kind with this token hash, while it counts and was used after `usedAfter`. */
export function findUserSession(
  db: Handle,
  tokenHash: Buffer,
  kind: SessionKind,
  now: Date,
  usedAfter: Date,
): Promise<{ id: string; user_id: string; last_used_at: Date } | undefined> {
  return db.maybeOne(find, [tokenHash, kind, now, usedAfter]);
}

/** Whether a sign-in has neither ended nor been ended. */
export async function isSessionOpen(db: Handle, id: string, now: Date): Promise<boolean> {
  return (await db.maybeOne(findById, [id, now])) !== undefined;
}

export async function noteSessionUse(db: Handle, id: string, now: Date): Promise<void> {
  await db.run(noteUse, [id, now]);
}

/** Somebody's sign-ins that count, last used first; those of browsers only when used after `usedAfter`. */
export function listUserSessions(db: Handle, userId: string, now: Date, usedAfter: Date): Promise<UserSession[]> {
  return db.many(list, [userId, now, usedAfter]);
}

/** Ends one of somebody's sign-ins. */
export async function revokeUserSession(tx: Handle, userId: string, id: string, now: Date): Promise<boolean> {
  return (await tx.run(revoke, [id, userId, now])) === 1;
}

/** Ends the sign-in that a browser's cookie stands for. */
export async function revokeSessionOfToken(tx: Handle, tokenHash: Buffer, now: Date): Promise<void> {
  await tx.run(revokeByToken, [tokenHash, now]);
}

/** Signs somebody out everywhere. @returns how many sign-ins ended. */
export function revokeUserSessions(tx: Handle, userId: string, now: Date): Promise<number> {
  return tx.run(revokeAll, [userId, now]);
}

/** Ends all of somebody's sign-ins but one. */
export async function revokeOtherSessions(tx: Handle, userId: string, keptId: string, now: Date): Promise<void> {
  await tx.run(revokeOthers, [userId, keptId, now]);
}
