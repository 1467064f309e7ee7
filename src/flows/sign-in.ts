import { randomBytes } from 'node:crypto';
import { hashApiKey, issueApiKey } from '../auth/api-key.ts';
import { checkPassword } from '../auth/password.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { networkOf } from '../limits/network-of.ts';
import {
  lockSeconds,
  type Membership,
  mostWrongPasswords,
  permissionsOfRole,
  sessionLifeSeconds,
} from '../model/user.ts';
import { hasActiveApiKey, markDeviceKey, revokeDeviceKeys } from '../store/api-keys.ts';
import { findUserSession, insertUserSession } from '../store/user-sessions.ts';
import { countWrongPassword, findUserByEmail, listMembershipsOf, resetWrongPasswords } from '../store/users.ts';
import type { Parts } from './parts.ts';
import { recordUserAudit } from './record-audit.ts';

const wrong = () => new AppError('invalid_token', 'The e-mail address or the password is wrong');

/**
 * Signs somebody in. An unknown address and a wrong password look and take the same; a locked account says so only to
 * who knows the password.
 * @throws {AppError} 401, 423 while locked, 429 after too many tries for this account or from this address.
 */
export async function signIn(
  parts: Parts,
  request: { email: string; password: string; address: string },
): Promise<{ token: string; memberships: Membership[] }> {
  const now = parts.clock.now();
  const account = request.email.trim().toLowerCase();
  const waitSeconds = Math.max(
    parts.signInTries.byAccount.take(account, now),
    parts.signInTries.byAddress.take(networkOf(request.address), now),
  );
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many sign-ins were tried; wait before trying again', {
      retryAfterSeconds: waitSeconds,
    });
  }
  const user = await findUserByEmail(parts.db, account);
  const isRight = await checkPassword(user?.password_hash, request.password);
  if (!user || !isRight) {
    if (user) await countWrongPassword(parts.db, user.id, mostWrongPasswords, addSeconds(now, lockSeconds));
    throw wrong();
  }
  if (user.locked_until && user.locked_until > now) {
    throw new AppError('locked', 'This account is locked after too many wrong passwords; try again later', {
      retryAfterSeconds: Math.ceil((user.locked_until.getTime() - now.getTime()) / 1000),
    });
  }
  await resetWrongPasswords(parts.db, user.id);
  parts.signInTries.byAccount.forget(account);
  const token = `ses_${randomBytes(32).toString('base64url')}`;
  await insertUserSession(parts.db, {
    id: newId(),
    userId: user.id,
    tokenHash: hashApiKey(token),
    expiresAt: addSeconds(now, sessionLifeSeconds),
    now,
  });
  return { token, memberships: await listMembershipsOf(parts.db, user.id) };
}

/** Who a session token belongs to; undefined when it is unknown, over or revoked. */
export async function findSignedIn({ db, clock }: Parts, token: string): Promise<string | undefined> {
  return (await findUserSession(db, hashApiKey(token), clock.now()))?.user_id;
}

export interface Activation {
  sessionToken: string;
  merchantId: string;
  deviceName: string;
  livemode: boolean;
  requestId: string;
}

/**
 * Gives a device of a signed-in person a key for one merchant, with what the role may do. An earlier key of the same
 * device stops working.
 * @throws {AppError} 401 for a bad session, 404 for a merchant one does not work for or that has no active API key, 403
 * for one that is not active.
 */
export async function activateSession(
  parts: Parts,
  activation: Activation,
): Promise<{ key: string; membership: Membership }> {
  const { sessionToken, merchantId, deviceName, livemode, requestId } = activation;
  const userId = await findSignedIn(parts, sessionToken);
  if (!userId) throw new AppError('invalid_token', 'The session token is unknown or over; sign in again');
  const now = parts.clock.now();
  return parts.db.transaction(async (tx) => {
    const membership = (await listMembershipsOf(tx, userId)).find((one) => one.merchant_id === merchantId);
    if (!membership) throw notFound('Merchant');
    if (membership.status !== 'active') {
      throw new AppError('forbidden', `This merchant is ${membership.status}; nobody can act for it now`);
    }
    const scope = { merchantId, livemode };
    if (!(await hasActiveApiKey(tx, scope, now))) throw notFound('API key');
    await revokeDeviceKeys(tx, userId, scope, deviceName, now);
    const permissions = permissionsOfRole[membership.role];
    const issued = await issueApiKey(
      tx,
      scope,
      {
        kind: 'secret',
        name: `${deviceName} (${membership.role})`,
        permissions: permissions === 'full' ? null : permissions,
      },
      now,
    );
    await markDeviceKey(tx, issued.id, userId, deviceName);
    await recordUserAudit(tx, {
      ...scope,
      userId,
      action: 'activate_session',
      subjectId: issued.id,
      requestId,
      now,
    });
    tx.afterCommit(() => parts.authenticator.forget());
    return { key: issued.key.reveal(), membership };
  });
}
