import { addSeconds } from '../kernel/clock.ts';

/** Seconds between a failed attempt and the next one, as docs/webhooks.md promises. After the last the delivery has failed. */
const retryDelaysSeconds = [60, 300, 1800, 7200] as const;

/** When to try again after the `tries`-th failure in a row, counted from 1; null when no try is left. */
export function nextTryAt(tries: number, failedAt: Date): Date | null {
  const delay = retryDelaysSeconds[tries - 1];
  return delay === undefined ? null : addSeconds(failedAt, delay);
}
