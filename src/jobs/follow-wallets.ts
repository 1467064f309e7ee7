import type { Parts } from '../flows/parts.ts';
import { eraseUnneededCredentials } from '../store/wallets.ts';
import { StreamOwner } from '../wallets/stream-owner.ts';
import { type Job, startJob } from './job.ts';

/** Well within the lease of a stream (20 s): a round may be late, or fail, without losing one. */
const pauseMillis = 5000;
const eraseEveryMillis = 60_000;

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
        await eraseUnneededCredentials(parts.db);
      }
      return undefined;
    },
    end: () => owner.stop(),
  });
}
