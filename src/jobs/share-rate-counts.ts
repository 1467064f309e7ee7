import type { Parts } from '../flows/parts.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

const everyMillis = 200;

/** Several times a second, processes tell each other how often their callers called. */
export function shareRateCounts({ rateLimiter }: Parts): Job {
  const pace = new Pace();
  let stopped = false;

  async function run(): Promise<void> {
    while (!stopped) {
      await pace.sleep(everyMillis);
      await rateLimiter.flush();
    }
  }
  const running = run();

  return {
    name: 'share-rate-counts',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
    },
  };
}
