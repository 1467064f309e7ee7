import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Mail } from '../kernel/mailer.ts';
import type { Secret } from '../kernel/secrets.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { insertMail } from '../store/mails.ts';
import type { Parts } from './parts.ts';

type QueueParts = Pick<Parts, 'mailer' | 'sealer'>;

/** Subject and text of a mail to somebody who signs in. `{link}` in the text stands for the link, where there is one. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
}

/** Somebody asked for a link to an address. Who has it, and whether anybody does, is found out when it is their turn. */
export interface LinkRequest {
  readonly email: string;
  readonly letter: Letter;
}

/** What is sealed in the row of a mail. */
export type MailContent = Omit<Mail, 'id'> | { readonly linkFor: LinkRequest };

/**
 * Queues an e-mail in the transaction of what it tells of; `jobs/send-mails.ts` sends it. Does nothing where no mail server
 * is set. A mail may arrive twice when a process dies at the wrong moment; it then has the same id.
 */
export async function queueMail(
  tx: Handle,
  parts: QueueParts,
  merchantId: string | null,
  { to, subject, text }: Omit<Mail, 'id'>,
  now: Date,
): Promise<void> {
  await queue(tx, parts, merchantId, { to, subject, text }, now);
}

/** The same for a mail to somebody who signs in. @returns whether mails are sent at all. */
export async function queueLetter(
  tx: Handle,
  parts: QueueParts,
  { to, letter, link }: { to: string; letter: Letter; link?: Secret },
  now: Date,
): Promise<boolean> {
  await queue(tx, parts, null, toMail(to, letter, link), now);
  return parts.mailer !== undefined;
}

/** Queues the question who has an address, and the letter with a link for whoever that is. */
export async function queueLinkRequest(db: Handle, parts: QueueParts, request: LinkRequest, now: Date): Promise<void> {
  await queue(db, parts, null, { linkFor: request }, now);
}

/** A letter with its link put in, addressed. */
export function toMail(to: string, { subject, text }: Letter, link: Secret | undefined): Omit<Mail, 'id'> {
  // A function, so that no `$` in the address means anything.
  return { to, subject, text: text.replace('{link}', () => link?.reveal() ?? '') };
}

async function queue(
  tx: Handle,
  { mailer, sealer }: QueueParts,
  merchantId: string | null,
  content: MailContent,
  now: Date,
): Promise<void> {
  if (!mailer) return;
  const id = newId();
  await insertMail(
    tx,
    { id, merchantId, sealed: sealer.seal(JSON.stringify(content), sealedPlace('mails.sealed', id)) },
    now,
  );
}
