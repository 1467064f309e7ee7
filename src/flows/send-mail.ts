import { addSeconds } from '../kernel/clock.ts';
import { MailRefused } from '../kernel/mailer.ts';
import { type ClaimedMail, endMail, putMailOff } from '../store/mails.ts';
import type { Parts } from './parts.ts';
import { mailPlace } from './queue-mail.ts';

/** Waits before the next tries; after the last one the mail is given up. */
const retrySeconds = [60, 300, 1800, 7200, 21_600, 86_400];
const longestError = 300;

/** Hands one claimed mail to the server and writes down how it went. */
export async function sendMail(parts: Parts, { id, sealed, tries }: ClaimedMail): Promise<void> {
  const { db, clock, mailer, sealer, log } = parts;
  const content = JSON.parse(sealer.open(sealed, mailPlace(id)).toString());
  try {
    await mailer!.send({ id, ...content });
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
