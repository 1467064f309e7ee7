import { hashPassword } from '../auth/password.ts';
import type { Transaction } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Role } from '../model/user.ts';
import { invitationSeconds, type OpenLink } from '../model/user-link.ts';
import { endInvitationsOf, takeLink } from '../store/user-links.ts';
import { findUserByEmail, insertUser, listMembershipsOf, lockUser, setUserPassword } from '../store/users.ts';
import { giveRole } from './give-role.ts';
import type { Parts } from './parts.ts';
import { recordUserAudit } from './record-audit.ts';
import { addUserLink, type NewLink } from './user-link.ts';

export interface Invitation {
  email: string;
  /** For a new account. */
  name: string | null;
  merchantId: string;
  role: Role;
  now: Date;
}

/**
 * Offers somebody a place at a merchant. A new account has no password until they accept; an invitation from before is
 * withdrawn.
 * @throws {AppError} `conflict` when they have a place there.
 */
export async function inviteUser(
  tx: Transaction,
  parts: Pick<Parts, 'links'>,
  invitation: Invitation,
): Promise<{ userId: string; email: string; link: NewLink }> {
  const { name, merchantId, role, now } = invitation;
  const known = await findUserByEmail(tx, invitation.email);
  const userId = known?.id ?? newId();
  const email = known?.email ?? invitation.email;
  if (known) {
    await lockUser(tx, userId);
    const place = (await listMembershipsOf(tx, userId)).find((one) => one.merchant_id === merchantId);
    if (place) throw new AppError('conflict', `${email} is ${place.role} at ${place.name} already`);
    await endInvitationsOf(tx, userId, merchantId, now);
  } else await insertUser(tx, { id: userId, email, name, passwordHash: null, now });
  const terms = {
    userId,
    kind: 'invitation' as const,
    place: { merchantId, role },
    lifeSeconds: invitationSeconds,
    now,
  };
  return { userId, email, link: await addUserLink(tx, parts, terms) };
}

/**
 * Accepts an invitation. An account that has a password keeps it: an invitation never opens one.
 * @param password for an account that has none yet.
 * @throws {AppError} `conflict` when the link was used meanwhile, or the account got its password elsewhere.
 */
export async function acceptInvitation(
  parts: Parts,
  link: OpenLink,
  password: string | undefined,
  requestId: string,
): Promise<void> {
  const now = parts.clock.now();
  // Outside the transaction: it takes its time on purpose.
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  const { user_id: userId } = link;
  const merchantId = link.merchant_id!;
  await parts.db.transaction(async (tx) => {
    const user = await lockUser(tx, userId);
    const isStill = user && (user.password_hash === null) === (passwordHash !== undefined);
    if (!isStill || !(await takeLink(tx, link.id, now))) {
      throw new AppError('conflict', 'This invitation was used meanwhile; open the link again');
    }
    if (passwordHash !== undefined) await setUserPassword(tx, userId, passwordHash, now);
    await giveRole(tx, { userId, merchantId, role: link.role!, now });
    await recordUserAudit(tx, { merchantId, userId, action: 'accept_invitation', subjectId: userId, requestId, now });
  });
}
