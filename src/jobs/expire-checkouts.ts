import { expireCheckouts as expire } from '../flows/expire-checkouts.ts';
import type { Parts } from '../flows/parts.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

const everyMillis = 5000;

/** Tells of checkouts that ended unpaid. Which ones is in the rows, so a restart misses none. */
export function expireCheckouts(parts: Parts): Job {
  const pace = new Pace();
  let stopped = false;

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        if ((await expire(parts)) > 0) continue;
      } catch (error) {
        parts.log.error({ err: error }, 'expiring checkouts failed; trying again');
      }
      await pace.sleep(everyMillis);
    }
  }
  const running = run();

  return {
    name: 'expire-checkouts',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
    },
  };
}
