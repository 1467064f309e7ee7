import { dynamicStatement } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import { addSeconds } from '../kernel/clock.ts';
import { sweepBefore } from '../store/sweep.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

const everyMillis = 3600 * 1000;
/** A little more than a key is remembered. */
const keepSeconds = 25 * 3600;

/** Once an hour: old idempotency keys and invoice requests go. */
export function sweep(parts: Parts): Job {
  const { db, clock, log } = parts;
  const pace = new Pace();
  let stopped = false;

  async function run(): Promise<void> {
    await pace.sleep(everyMillis);
    while (!stopped) {
      try {
        const removed = await sweepBefore(db, addSeconds(clock.now(), -keepSeconds));
        // The embedded engine has no background process that would do this.
        if (db.engine === 'embedded') await db.run(dynamicStatement('vacuum analyze'));
        log.debug({ removed }, 'swept');
      } catch (error) {
        log.error({ err: error }, 'sweeping failed');
      }
      await pace.sleep(everyMillis);
    }
  }
  const running = run();

  return {
    name: 'sweep',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
    },
  };
}
