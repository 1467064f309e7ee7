import { expireCheckouts as expire } from '../flows/expire-checkouts.ts';
import type { Parts } from '../flows/parts.ts';
import { type Job, startJob } from './job.ts';

const everyMillis = 5000;

/** Tells of checkouts that ended unpaid. Which ones is in the rows, so a restart misses none. */
export function expireCheckouts(parts: Parts): Job {
  return startJob(parts.log, {
    name: 'expire-checkouts',
    pauseMillis: everyMillis,
    round: async () => ((await expire(parts)) > 0 ? 0 : undefined),
  });
}
