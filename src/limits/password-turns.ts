import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../kernel/errors.ts';
import { networkOf } from './network-of.ts';

/** Whoever comes after so many would have given up before their turn. */
const mostWaiting = 500;
/** As many as a network may try in a minute. */
const mostWaitingPerNetwork = 60;
/** With an event loop that is never idle, a rest is this many times as long as the check before it. */
const restFactor = 4;
const longestRestMillis = 250;

/** Whose turn it is to have a password checked: one at a time, however many come. */
export interface PasswordTurns {
  /**
   * Waits for its turn and does `check` then. Networks that wait take turns, so that nobody is kept waiting by the many
   * tries of another.
   * @throws {AppError} `rate_limited` when too many wait already.
   */
  take<T>(address: string, check: () => Promise<T>): Promise<T>;
}

/** Starts to watch how busy the process is. @returns what tells the share of the time since then, from 0 to 1. */
type WatchBusyness = () => () => number;

const watchEventLoop: WatchBusyness = () => {
  const mark = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(mark).utilization;
};

/**
 * A check is a good part of a processor's work for some 30 ms, and its memory pushes everybody else's out of the caches.
 * While a wave is worked through there is a rest after each, as long as the process has other things to do: a wave of
 * sign-ins must not make sales wait. Whoever comes alone never waits.
 */
export function createPasswordTurns(
  watchBusyness: WatchBusyness = watchEventLoop,
  rest: (millis: number) => Promise<unknown> = sleep,
): PasswordTurns {
  /** Networks in the sequence in which they are next. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingCount = 0;
  let isTaken = false;

  function wait(network: string): Promise<void> {
    return new Promise((resolve) => {
      waitingCount += 1;
      const line = waiting.get(network);
      if (line) line.push(resolve);
      else waiting.set(network, [resolve]);
    });
  }

  function callNext(): void {
    const [network, line] = waiting.entries().next().value ?? [];
    if (network === undefined || line === undefined) {
      isTaken = false;
      return;
    }
    const next = line.shift()!;
    waiting.delete(network);
    if (line.length > 0) waiting.set(network, line);
    waitingCount -= 1;
    next();
  }

  return {
    async take(address, check) {
      const network = networkOf(address);
      if (waitingCount >= mostWaiting || (waiting.get(network)?.length ?? 0) >= mostWaitingPerNetwork) {
        throw new AppError('rate_limited', 'Too many people are signing in at once; try again in a moment', {
          retryAfterSeconds: 10,
        });
      }
      if (isTaken) await wait(network);
      isTaken = true;
      const started = performance.now();
      const busySince = watchBusyness();
      try {
        return await check();
      } finally {
        const took = performance.now() - started;
        if (waitingCount === 0) callNext();
        else void rest(Math.min(longestRestMillis, took * restFactor * busySince())).then(callNext);
      }
    },
  };
}
