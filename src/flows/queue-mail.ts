import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Mail } from '../kernel/mailer.ts';
import { insertMail } from '../store/mails.ts';
import type { Parts } from './parts.ts';

/**
 * Queues an e-mail in the transaction of what it tells of; `jobs/send-mails.ts` sends it. Does nothing where no mail server
 * is set. A mail may arrive twice when a process dies at the wrong moment; it then has the same id.
 */
export async function queueMail(
  tx: Handle,
  parts: Pick<Parts, 'mailer' | 'sealer'>,
  merchantId: string,
  mail: Omit<Mail, 'id'>,
  now: Date,
): Promise<void> {
  if (!parts.mailer) return;
  const id = newId();
  const { to, subject, text } = mail;
  const sealed = parts.sealer.seal(JSON.stringify({ to, subject, text }), mailPlace(id));
  await insertMail(tx, { id, merchantId, sealed }, now);
}

/** Where a queued mail's content is sealed for. */
export function mailPlace(id: string) {
  return { table: 'mails', column: 'sealed', row: id };
}
