import type { Parts } from '../flows/parts.ts';
import { sendMail } from '../flows/send-mail.ts';
import { addSeconds } from '../kernel/clock.ts';
import { claimMails, deleteOldMails } from '../store/mails.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

const mostAtOnce = 5;
/** Longer than all timeouts of one hand-over together. */
const leaseSeconds = 60;
const pauseMillis = 5000;
const keptDays = 30;
const sweepEveryMillis = 3600 * 1000;

/** Sends queued mails; nothing to do where no mail server is set. */
export function sendMails(parts: Parts): Job {
  const pace = new Pace();
  let stopped = false;
  let sweptAt = performance.now();

  async function run(): Promise<void> {
    while (!stopped && parts.mailer) {
      try {
        if ((await sendDueMails(parts)) > 0) continue;
        if (performance.now() - sweptAt > sweepEveryMillis) {
          sweptAt = performance.now();
          await deleteOldMails(parts.db, addSeconds(parts.clock.now(), -keptDays * 86_400));
        }
      } catch (error) {
        parts.log.error({ err: error }, 'sending mails failed; trying again');
      }
      await pace.sleep(pauseMillis);
    }
  }
  const running = run();

  return {
    name: 'send-mails',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
    },
  };
}

/** Sends some of the mails that are due. @returns how many were tried. */
export async function sendDueMails(parts: Parts): Promise<number> {
  const due = await claimMails(parts.db, parts.clock.now(), mostAtOnce, leaseSeconds);
  await Promise.all(due.map((mail) => sendMail(parts, mail)));
  return due.length;
}
