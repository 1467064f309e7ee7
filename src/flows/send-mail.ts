import { addSeconds } from '../kernel/clock.ts';
import { type Mail, MailRefused } from '../kernel/mailer.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { askedPasswordLinkSeconds } from '../model/user-link.ts';
import { type ClaimedMail, endMail, putMailOff, rewriteMail } from '../store/mails.ts';
import { findUserByEmail } from '../store/users.ts';
import { givePasswordLink } from './new-password.ts';
import type { Parts } from './parts.ts';
import { type LinkRequest, type MailContent, toMail } from './queue-mail.ts';

/** Waits before the next tries; after the last one the mail is given up. */
const retrySeconds = [60, 300, 1800, 7200, 21_600, 86_400];
const longestError = 300;

/** Hands one claimed mail to the server and writes down how it went. */
export async function sendMail(parts: Parts, { id, sealed, tries }: ClaimedMail): Promise<void> {
  const { db, clock, mailer, sealer, log } = parts;
  const content: MailContent = JSON.parse(sealer.open(sealed, sealedPlace('mails.sealed', id)).toString());
  const mail = 'linkFor' in content ? await answerLinkRequest(parts, id, content.linkFor) : content;
  if (!mail) return;
  try {
    await mailer!.send({ id, ...mail });
    await endMail(db, id, 'sent', clock.now());
  } catch (error) {
    const text = (error as Error).message.slice(0, longestError);
    const wait = error instanceof MailRefused ? undefined : retrySeconds[tries - 1];
    if (wait === undefined) {
      log.warn({ mail: id, tries }, 'a mail is given up; the server will not take it');
      await endMail(db, id, 'failed', clock.now(), text);
    } else await putMailOff(db, id, addSeconds(clock.now(), wait), text);
  }
}

/**
 * Makes the link that somebody asked for. From then on the row holds an ordinary mail, so that every try sends the same
 * link. It goes to the address as the account has it, not as it was typed.
 * @returns undefined when nobody has an account with that address, or another process was here before.
 */
async function answerLinkRequest(
  parts: Parts,
  id: string,
  { email, letter }: LinkRequest,
): Promise<Omit<Mail, 'id'> | undefined> {
  const { db, clock, sealer } = parts;
  return db.transaction(async (tx) => {
    const now = clock.now();
    const user = await findUserByEmail(tx, email);
    if (!user) {
      await endMail(tx, id, 'failed', now, 'nobody has an account with this address');
      return undefined;
    }
    const link = await givePasswordLink(tx, parts, user.id, now, askedPasswordLinkSeconds);
    const mail = toMail(user.email, letter, link.url);
    return (await rewriteMail(tx, id, sealer.seal(JSON.stringify(mail), sealedPlace('mails.sealed', id))))
      ? mail
      : undefined;
  });
}
