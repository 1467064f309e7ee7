import type { Parts } from '../flows/parts.ts';
import { addSeconds } from '../kernel/clock.ts';
import { eraseUnneededCredentials } from '../store/wallets.ts';
import { StreamOwner } from '../wallets/stream-owner.ts';
import { type Job, startJob } from './job.ts';

/** Well within the lease of a stream (20 s): a round may be late, or fail, without losing one. */
const pauseMillis = 5000;
const eraseEveryMillis = 60_000;
/** A wallet that is removed may be making an invoice, which shows when it is written: within the lease of the request. */
const keepSeconds = 300;

/** Removed wallets give up what opens them, a while after the last invoice that needs it. @returns how many did. */
export function eraseCredentials({ db, clock }: Pick<Parts, 'db' | 'clock'>): Promise<number> {
  return eraseUnneededCredentials(db, addSeconds(clock.now(), -keepSeconds));
}

/** Keeps a connection to every wallet that tells by itself when it was paid. */
export function followWallets(parts: Parts): Job {
  const owner = new StreamOwner(parts);
  let erasedAt = performance.now();
  return startJob(parts.log, {
    name: 'follow-wallets',
    pauseMillis,
    async round() {
      await owner.round();
      if (performance.now() - erasedAt > eraseEveryMillis) {
        erasedAt = performance.now();
        await eraseCredentials(parts);
      }
      return undefined;
    },
    end: () => owner.stop(),
  });
}
