import { hashPassword } from '../auth/password.ts';
import type { Handle, Transaction } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import { networkOf } from '../limits/network-of.ts';
import { givenPasswordLinkSeconds, type OpenLink } from '../model/user-link.ts';
import { endPasswordLinksOf, takeLink } from '../store/user-links.ts';
import { lockUser, setUserPassword } from '../store/users.ts';
import type { Parts } from './parts.ts';
import { type Letter, queueLetter, queueLinkRequest } from './queue-mail.ts';
import { recordAccountAudit } from './record-audit.ts';
import { signOutEverywhere } from './sign-out.ts';
import { addUserLink, type NewLink } from './user-link.ts';

/**
 * Somebody says that they have forgotten the password of an address. Whether there is an account is found out later, by the
 * job that sends mails: what is done now is the same for every address.
 * @param letter what the mail says.
 * @throws {AppError} `rate_limited` when links were asked for too often, for this address or from this network.
 */
export async function askForPasswordLink(
  parts: Parts,
  request: { email: string; address: string; letter: Letter },
): Promise<void> {
  const now = parts.clock.now();
  const account = request.email.trim().toLowerCase();
  const { byAccount, byAddress } = parts.linkTries;
  const waits = await Promise.all([byAddress.take(networkOf(request.address), now), byAccount.take(account, now)]);
  const waitSeconds = Math.max(...waits);
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many links were asked for; wait before asking again', {
      retryAfterSeconds: waitSeconds,
    });
  }
  await queueLinkRequest(parts.db, parts, { email: account, letter: request.letter }, now);
}

/** Makes a link with which somebody sets a new password; one from before ends. */
export async function givePasswordLink(
  tx: Handle,
  parts: Pick<Parts, 'links'>,
  userId: string,
  now: Date,
  lifeSeconds = givenPasswordLinkSeconds,
): Promise<NewLink> {
  await lockUser(tx, userId);
  await endPasswordLinksOf(tx, userId, now);
  return addUserLink(tx, parts, { userId, kind: 'password', lifeSeconds, now });
}

/**
 * Sets the password that a link's holder has chosen. Everybody who was signed in to the account is out, and no other link
 * sets its password any more.
 * @param letter what the owner is told, where mails are sent.
 * @throws {AppError} `conflict` when the link was used meanwhile.
 */
export async function setNewPassword(
  parts: Parts,
  link: OpenLink,
  password: string,
  { requestId, letter }: { requestId: string; letter: Letter },
): Promise<void> {
  const now = parts.clock.now();
  const { user_id: userId, email } = link;
  const passwordHash = await hashPassword(password);
  await parts.db.transaction(async (tx) => {
    await lockUser(tx, userId);
    if (!(await takeLink(tx, link.id, now))) throw new AppError('conflict', 'This link was used meanwhile');
    await replacePassword(tx, parts, userId, passwordHash, now);
    await queueLetter(tx, parts, { to: email, letter }, now);
    await recordAccountAudit(tx, { userId, action: 'set_password', by: { requestId }, now });
  });
  await parts.signInTries.byAccount.forget(email.toLowerCase());
}

/** Puts another password in the place of one: whoever came in with the old one, or has a link to change it, is out. */
export async function replacePassword(
  tx: Transaction,
  parts: Pick<Parts, 'authenticator'>,
  userId: string,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await setUserPassword(tx, userId, passwordHash, now);
  await endPasswordLinksOf(tx, userId, now);
  await signOutEverywhere(tx, parts, userId, now);
}
