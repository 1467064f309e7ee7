/** Open event streams in this process: each holds a socket and looks into the database now and then. */
export interface StreamSlots {
  /**
   * @param holders who the stream is counted for, in the sequence of the limits.
   * @returns what gives the place back, or undefined when too many are open.
   */
  take(...holders: string[]): (() => void) | undefined;
}

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
    take(...holders) {
      const keys = holders.map((holder, index) => `${index} ${holder}`);
      const isFull = keys.some((key, index) => (open.get(key) ?? 0) >= mostPerHolder[index]!);
      if (isFull || all >= mostInAll) return undefined;
      for (const key of keys) open.set(key, (open.get(key) ?? 0) + 1);
      all += 1;
      let given = false;
      return () => {
        if (!given) give(keys);
        given = true;
      };
    },
  };
}
