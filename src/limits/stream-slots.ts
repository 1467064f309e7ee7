import { AppError } from '../kernel/errors.ts';

/** Open event streams in this process: each holds a socket and looks into the database now and then. */
export interface StreamSlots {
  /**
   * Takes a place until the stream ends; one that has ended already keeps none.
   * @param ended aborts with the stream.
   * @param holders who the stream is counted for, in the sequence of the limits.
   * @returns false when too many are open.
   */
  take(ended: AbortSignal, ...holders: string[]): boolean;
}

/** No place was left for a stream. Its clients' doing, though a payer's page is told so by a 503, at which it polls. */
export class StreamsFull extends AppError {}

/** @param mostPerHolder one limit for each holder that `take` names. */
export function createStreamSlots(mostInAll: number, ...mostPerHolder: number[]): StreamSlots {
  const open = new Map<string, number>();
  let all = 0;

  function give(keys: readonly string[]): void {
    all -= 1;
    for (const key of keys) {
      const left = open.get(key)! - 1;
      if (left === 0) open.delete(key);
      else open.set(key, left);
    }
  }

  return {
    take(ended, ...holders) {
      const keys = holders.map((holder, index) => `${index} ${holder}`);
      const isFull = keys.some((key, index) => (open.get(key) ?? 0) >= mostPerHolder[index]!);
      if (isFull || all >= mostInAll) return false;
      // A signal that has aborted calls nobody any more.
      if (ended.aborted) return true;
      for (const key of keys) open.set(key, (open.get(key) ?? 0) + 1);
      all += 1;
      ended.addEventListener('abort', () => give(keys), { once: true });
      return true;
    },
  };
}
