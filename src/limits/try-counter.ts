/** Tries within the last minutes, by whom or what they are for. Counted in this process. */
interface TryCounter {
  /** Counts one. @returns 0 while it is among the first `most`, else the seconds until the oldest is forgotten. */
  take(subject: string, now: Date): number;
  /** Forgets a subject's tries. */
  forget(subject: string): void;
}

const mostRemembered = 50_000;

export function createTryCounter(most: number, windowSeconds: number): TryCounter {
  const tries = new Map<string, number[]>();
  return {
    take(subject, now) {
      const at = now.getTime();
      const recent = (tries.get(subject) ?? []).filter((moment) => moment > at - windowSeconds * 1000);
      tries.delete(subject);
      tries.set(subject, recent);
      if (tries.size > mostRemembered) tries.delete(tries.keys().next().value!);
      if (recent.length >= most) return Math.max(1, Math.ceil((recent[0]! + windowSeconds * 1000 - at) / 1000));
      recent.push(at);
      return 0;
    },
    forget: (subject) => void tries.delete(subject),
  };
}
