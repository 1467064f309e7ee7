import type { Parts } from '../flows/parts.ts';
import { sendMail } from '../flows/send-mail.ts';
import { addSeconds } from '../kernel/clock.ts';
import { claimMails, deleteOldMails } from '../store/mails.ts';
import { type Job, startJob } from './job.ts';

const mostAtOnce = 5;
/** Longer than all timeouts of one hand-over together. */
const leaseSeconds = 60;
const pauseMillis = 5000;
const keptDays = 30;
const sweepEveryMillis = 3600 * 1000;

/** Sends queued mails; nothing to do where no mail server is set. */
export function sendMails(parts: Parts): Job {
  let sweptAt = performance.now();
  return startJob(parts.log, {
    name: 'send-mails',
    pauseMillis,
    async round() {
      if (!parts.mailer) return undefined;
      if ((await sendDueMails(parts)) > 0) return 0;
      if (performance.now() - sweptAt > sweepEveryMillis) {
        sweptAt = performance.now();
        await deleteOldMails(parts.db, addSeconds(parts.clock.now(), -keptDays * 86_400));
      }
      return undefined;
    },
  });
}

/** Sends some of the mails that are due. @returns how many were tried. */
export async function sendDueMails(parts: Parts): Promise<number> {
  const due = await claimMails(parts.db, parts.clock.now(), mostAtOnce, leaseSeconds);
  await Promise.all(due.map((mail) => sendMail(parts, mail)));
  return due.length;
}
