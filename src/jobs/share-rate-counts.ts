import type { Parts } from '../flows/parts.ts';
import { type Job, startJob } from './job.ts';

const everyMillis = 200;

/** Several times a second, and once more at the end, processes tell each other how often their callers called. */
export function shareRateCounts({ rateLimiter, log }: Parts): Job {
  async function share(): Promise<undefined> {
    await rateLimiter.flush();
  }
  return startJob(log, {
    name: 'share-rate-counts',
    pauseMillis: everyMillis,
    pausesFirst: true,
    round: share,
    end: share,
  });
}
