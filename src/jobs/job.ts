import { setMaxListeners } from 'node:events';
import type { Logger } from '../kernel/log.ts';
import { Pace } from '../kernel/pace.ts';

/** A loop with its own pace. It ends when asked, after what is under way. */
export interface Job {
  readonly name: string;
  stop(): Promise<void>;
}

interface Loop {
  readonly name: string;
  /** Between rounds, unless a round answers with a pause of its own, and after one that failed. */
  readonly pauseMillis: number;
  /** A pause comes before the first round too. */
  readonly pausesFirst?: boolean;
  /** For whoever wants to wake the loop; one of its own otherwise. */
  readonly pace?: Pace;
  /** @returns how long to wait until the next round: 0 not at all, undefined as long as usual. */
  round(signal: AbortSignal): Promise<number | undefined>;
  /** After the last round. */
  end?(): Promise<void>;
}

/** Runs rounds, one at a time, until it is stopped. */
export function startJob(log: Logger, { name, pauseMillis, pausesFirst, pace = new Pace(), round, end }: Loop): Job {
  const stopping = new AbortController();
  const { signal } = stopping;
  // Everything that a round has under way may listen; Node warns of more than ten.
  setMaxListeners(0, signal);

  async function run(): Promise<void> {
    if (pausesFirst) await pace.sleep(pauseMillis);
    while (!signal.aborted) {
      let pause: number | undefined;
      try {
        pause = await round(signal);
      } catch (error) {
        log.error({ err: error, job: name }, 'a round of a job failed; trying again');
      }
      if (pause !== 0) await pace.sleep(pause ?? pauseMillis);
    }
  }
  const running = run();

  return {
    name,
    async stop() {
      stopping.abort();
      pace.wake();
      await running;
      await end?.();
    },
  };
}
