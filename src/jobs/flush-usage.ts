import type { Parts } from '../flows/parts.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

const everyMillis = 5000;

/** Writes request counts every few seconds and once more at the end. */
export function flushUsage({ usage, log }: Parts): Job {
  const pace = new Pace();
  let stopped = false;

  async function flush(): Promise<void> {
    await usage.flush().catch((error) => log.warn({ err: error }, 'request counts were not written; trying again'));
  }

  async function run(): Promise<void> {
    while (!stopped) {
      await pace.sleep(everyMillis);
      await flush();
    }
  }
  const running = run();

  return {
    name: 'flush-usage',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
    },
  };
}
