import { randomBytes } from 'node:crypto';
import { hashToken } from '../auth/hash-token.ts';
import type { Handle } from '../db/database.ts';
import { addSeconds, type Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Membership, UserRow } from '../model/user.ts';
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
import {
  checkCode,
  checkPasswordTry,
  forgetTries,
  type PasswordTry,
  refuseLocked,
  type TrySource,
  takeTry,
} from './check-credentials.ts';
import { holdAccount } from './hold-account.ts';
import type { Parts } from './parts.ts';
import { recordAccountAudit } from './record-audit.ts';
import { signOutEverywhere } from './sign-out.ts';

const tokenShape = /^[\w-]{43}$/;

/** Somebody whose browser is signed in to the pages. */
export interface SignedIn {
  readonly sessionId: string;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string | null;
    readonly hasSecondFactor: boolean;
  };
  /** Where they work, oldest first; also merchants that are not active. */
  readonly memberships: readonly Membership[];
}

/** What a browser is, beside the person in front of it. */
interface BrowserState {
  /** What it calls itself, for the list of sign-ins. */
  device: string | null;
  /** What its cookie held before. */
  earlierToken: string | undefined;
}

/**
 * Signs a browser in, or half in where the second factor is still to come.
 * @returns the token for its cookie.
 * @throws {AppError} as `checkPasswordTry()` and `holdAccount()`.
 */
export async function signInBrowser(
  parts: Parts,
  credentials: PasswordTry,
  browser: BrowserState,
): Promise<{ token: string; needsCode: boolean }> {
  const user = await checkPasswordTry(parts, credentials);
  const needsCode = user.has_second_factor;
  if (!needsCode) await forgetTries(parts, user);
  const token = await parts.db.transaction(async (tx) => {
    await holdAccount(tx, user);
    return openSession(tx, user.id, needsCode ? 'code' : 'web', browser, parts.clock.now());
  });
  return { token, needsCode };
}

/** Whether the token is of somebody who has shown the password and not yet the second factor. */
export async function isCodeAwaited(parts: Parts, token: string): Promise<boolean> {
  return (await findCodeStep(parts, parts.db, token)) !== undefined;
}

/**
 * Signs a browser in with the second factor. @returns the new token for its cookie; undefined when the password was shown
 * too long ago, or not at all.
 * @throws {AppError} 401 for a wrong code and as `holdAccount()`, 423 while locked, 429 after too many tries.
 */
export async function confirmSignIn(
  parts: Parts,
  token: string,
  code: string,
  source: TrySource,
  device: string | null,
): Promise<string | undefined> {
  const user = await findCodeStep(parts, parts.db, token);
  if (!user) return undefined;
  await takeTry(parts, user.email, source);
  refuseLocked(user, parts.clock.now());
  await checkCode(parts, user, code, source.requestId);
  await forgetTries(parts, user);
  return parts.db.transaction(async (tx) => {
    await holdAccount(tx, user);
    // Once more: it may have been ended while the code was looked at.
    if (!(await findCodeStep(parts, tx, token))) return undefined;
    return openSession(tx, user.id, 'web', { device, earlierToken: token }, parts.clock.now());
  });
}

async function findCodeStep({ clock }: Parts, db: Handle, token: string): Promise<UserRow | undefined> {
  if (!tokenShape.test(token)) return undefined;
  const session = await findUserSession(db, hashToken(token), 'code', clock.now(), new Date(0));
  return session && findUser(db, session.user_id);
}

/**
 * Opens a session whose token is always new, and ends the one the browser had: a token that somebody planted or saw before
 * the sign-in is worth nothing after it.
 */
async function openSession(
  tx: Handle,
  userId: string,
  kind: 'web' | 'code',
  { device, earlierToken }: BrowserState,
  now: Date,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  if (earlierToken !== undefined) await revokeSessionOfToken(tx, hashToken(earlierToken), now);
  await insertUserSession(tx, {
    id: newId(),
    userId,
    kind,
    tokenHash: hashToken(token),
    device,
    expiresAt: addSeconds(now, sessionLifeSeconds[kind]),
    now,
  });
  return token;
}

/** Who is signed in with a cookie's token; undefined when it is unknown, over, idle for too long or ended. */
export async function findBrowserSignIn(parts: Parts, token: string): Promise<SignedIn | undefined> {
  if (!tokenShape.test(token)) return undefined;
  const { db } = parts;
  const now = parts.clock.now();
  const session = await findUserSession(db, hashToken(token), 'web', now, addSeconds(now, -webIdleSeconds));
  const user = session && (await findUser(db, session.user_id));
  if (!session || !user) return undefined;
  if (session.last_used_at < addSeconds(now, -useNotedEverySeconds)) await noteSessionUse(db, session.id, now);
  return {
    sessionId: session.id,
    user: { id: user.id, email: user.email, name: user.name, hasSecondFactor: user.has_second_factor },
    memberships: await listMembershipsOf(db, user.id),
  };
}

/** Ends the session of a cookie's token, if it is one. */
export async function endBrowserSignIn({ db, clock }: Parts, token: string): Promise<void> {
  await revokeSessionOfToken(db, hashToken(token), clock.now());
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
