import type { Parts } from '../flows/parts.ts';
import { type Job, startJob } from './job.ts';

const everyMillis = 5000;

/** Writes request counts every few seconds and once more at the end. */
export function flushUsage({ usage, log }: Parts): Job {
  async function flush(): Promise<undefined> {
    await usage.flush().catch((error) => log.warn({ err: error }, 'request counts were not written; trying again'));
  }
  return startJob(log, { name: 'flush-usage', pauseMillis: everyMillis, pausesFirst: true, round: flush, end: flush });
}
