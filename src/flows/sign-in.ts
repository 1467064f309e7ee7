import { randomBytes } from 'node:crypto';
import { issueApiKey } from '../auth/api-key.ts';
import { hashToken } from '../auth/hash-token.ts';
import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Membership, permissionsOfRole } from '../model/user.ts';
import { sessionLifeSeconds } from '../model/user-session.ts';
import { hasActiveApiKey } from '../store/api-keys.ts';
import { markDeviceKey, revokeDeviceKeys } from '../store/device-keys.ts';
import { findUserSession, insertUserSession } from '../store/user-sessions.ts';
import { listMembershipsOf, lockUser } from '../store/users.ts';
import { checkCredentials, type PasswordTry } from './check-credentials.ts';
import { holdAccount } from './hold-account.ts';
import type { Parts } from './parts.ts';
import { recordUserAudit } from './record-audit.ts';

/**
 * Signs a device of the API in.
 * @throws {AppError} as `checkCredentials()` and `holdAccount()`.
 */
export async function signIn(
  parts: Parts,
  credentials: PasswordTry & { code: string | undefined },
): Promise<{ token: string; memberships: Membership[] }> {
  const user = await checkCredentials(parts, credentials);
  const now = parts.clock.now();
  const token = `ses_${randomBytes(32).toString('base64url')}`;
  await parts.db.transaction(async (tx) => {
    await holdAccount(tx, user);
    await insertUserSession(tx, {
      id: newId(),
      userId: user.id,
      kind: 'api',
      tokenHash: hashToken(token),
      device: null,
      expiresAt: addSeconds(now, sessionLifeSeconds.api),
      now,
    });
  });
  return { token, memberships: await listMembershipsOf(parts.db, user.id) };
}

/**
 * Who a session token of the API belongs to.
 * @throws {AppError} 401 when it is unknown, over or revoked.
 */
async function requireSignedIn(db: Handle, token: string, now: Date): Promise<string> {
  // It lives as long as it lives: devices sign in once and use their key from then on.
  const anyTime = new Date(0);
  const session = await findUserSession(db, hashToken(token), 'api', now, anyTime);
  if (!session) throw new AppError('invalid_token', 'The session token is unknown or over; sign in again');
  return session.user_id;
}

interface NewDeviceKey {
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
export async function giveDeviceKey(
  parts: Parts,
  wanted: NewDeviceKey,
): Promise<{ key: string; membership: Membership }> {
  const { sessionToken, merchantId, deviceName, livemode, requestId } = wanted;
  const now = parts.clock.now();
  const userId = await requireSignedIn(parts.db, sessionToken, now);
  return parts.db.transaction(async (tx) => {
    await lockUser(tx, userId);
    // Once more: whoever ended it before the lock was ours knows nothing of the key.
    await requireSignedIn(tx, sessionToken, now);
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
