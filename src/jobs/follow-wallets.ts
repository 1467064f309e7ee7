import type { Parts } from '../flows/parts.ts';
import { eraseUnneededCredentials } from '../store/wallets.ts';
import { StreamOwner } from '../wallets/stream-owner.ts';
import type { Job } from './job.ts';
import { Pace } from './pace.ts';

/** Well within the lease of a stream (20 s): a round may be late, or fail, without losing one. */
const pauseMillis = 5000;
const eraseEveryMillis = 60_000;

/** Keeps a connection to every wallet that tells by itself when it was paid. */
export function followWallets(parts: Parts): Job {
  const pace = new Pace();
  const owner = new StreamOwner(parts);
  let stopped = false;
  let erasedAt = performance.now();

  async function run(): Promise<void> {
    while (!stopped) {
      try {
        await owner.round();
        if (performance.now() - erasedAt > eraseEveryMillis) {
          erasedAt = performance.now();
          await eraseUnneededCredentials(parts.db);
        }
      } catch (error) {
        parts.log.error({ err: error }, 'keeping the streams of wallets failed; trying again');
      }
      await pace.sleep(pauseMillis);
    }
  }
  const running = run();

  return {
    name: 'follow-wallets',
    async stop() {
      stopped = true;
      pace.wake();
      await running;
      await owner.stop();
    },
  };
}
