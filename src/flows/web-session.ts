import { randomBytes } from 'node:crypto';
import { hashApiKey } from '../auth/api-key.ts';
import type { Handle } from '../db/database.ts';
import { addSeconds, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Membership } from '../model/user.ts';
import { sessionLifeSeconds, type UserSession, useNotedEverySeconds, webIdleSeconds } from '../model/user-session.ts';
import {
  findUserSession,
  insertUserSession,
  listUserSessions,
  noteSessionUse,
  revokeSessionOfToken,
  revokeUserSession,
} from '../store/user-sessions.ts';
import { findUser, listMembershipsOf } from '../store/users.ts';
import { type Credentials, checkCredentials } from './check-credentials.ts';
import type { Parts } from './parts.ts';
import { recordAccountAudit } from './record-audit.ts';
import { signOutEverywhere } from './sign-out.ts';

const tokenShape = /^[\w-]{43}$/;

/** Somebody whose browser is signed in to the pages. */
export interface SignedIn {
  readonly sessionId: string;
  readonly user: { readonly id: string; readonly email: string; readonly name: string | null };
  /** Where they work, oldest first; also merchants that are not active. */
  readonly memberships: readonly Membership[];
}

export interface WebSignIn extends Credentials {
  /** What the browser calls itself, for the list of sign-ins. */
  device: string | null;
  /** What its cookie held before. */
  earlierToken: string | undefined;
}

/**
 * Signs a browser in. @returns the token for its cookie.
 * @throws {AppError} as `checkCredentials()`.
 */
export async function signInBrowser(parts: Parts, request: WebSignIn): Promise<string> {
  const user = await checkCredentials(parts, request);
  return openWebSession(parts, user.id, request);
}

/**
 * Opens a session whose token is always new, and ends the one the browser had: a token that somebody planted or saw before
 * the sign-in is worth nothing after it.
 */
export async function openWebSession(
  parts: Parts,
  userId: string,
  { device, earlierToken }: Pick<WebSignIn, 'device' | 'earlierToken'>,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const now = parts.clock.now();
  await parts.db.transaction(async (tx) => {
    if (earlierToken !== undefined) await revokeSessionOfToken(tx, hashApiKey(earlierToken), now);
    await insertUserSession(tx, {
      id: newId(),
      userId,
      kind: 'web',
      tokenHash: hashApiKey(token),
      device,
      expiresAt: addSeconds(now, sessionLifeSeconds.web),
      now,
    });
  });
  return token;
}

/** Who is signed in with a cookie's token; undefined when it is unknown, over, idle for too long or ended. */
export async function findWebSession(parts: Parts, token: string): Promise<SignedIn | undefined> {
  if (!tokenShape.test(token)) return undefined;
  const { db } = parts;
  const now = parts.clock.now();
  const session = await findUserSession(db, hashApiKey(token), 'web', now, addSeconds(now, -webIdleSeconds));
  const user = session && (await findUser(db, session.user_id));
  if (!session || !user) return undefined;
  if (session.last_used_at < addSeconds(now, -useNotedEverySeconds)) await noteSessionUse(db, session.id, now);
  return {
    sessionId: session.id,
    user: { id: user.id, email: user.email, name: user.name },
    memberships: await listMembershipsOf(db, user.id),
  };
}

/** Ends the session of a cookie's token, if it is one. */
export async function endWebSession({ db, clock }: Parts, token: string): Promise<void> {
  await revokeSessionOfToken(db, hashApiKey(token), clock.now());
}

/** Somebody's sign-ins that count, last used first. */
export async function listSignIns({ db, clock }: Parts, userId: string): Promise<UserSession[]> {
  const now = clock.now();
  return listUserSessions(db, userId, now, addSeconds(now, -webIdleSeconds));
}

/** Ends one of somebody's sign-ins. @returns false when they have no such one. */
export function endSignIn(
  { db, clock }: { db: Handle; clock: Clock },
  userId: string,
  sessionId: string,
): Promise<boolean> {
  return revokeUserSession(db, userId, sessionId, clock.now());
}

/** What "sign out everywhere" on the account page does. @param requestId for the audit log */
export async function endAllSignIns(parts: Parts, userId: string, requestId: string): Promise<void> {
  const now = parts.clock.now();
  await parts.db.transaction(async (tx) => {
    await signOutEverywhere(tx, parts, userId, now);
    await recordAccountAudit(tx, { userId, action: 'sign_out_user', by: { requestId }, now });
  });
}
