import type { Database } from '../db/database.ts';
import type { Logger } from '../kernel/log.ts';
import { addRateCounts } from '../store/rate-windows.ts';

/** So much within a window that starts with each full minute or hour. */
export interface RateLimit {
  readonly name: 'minute' | 'hour';
  readonly most: number;
}

export interface RateStanding {
  readonly limit: RateLimit;
  readonly remaining: number;
  /** Until the window ends. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  /**
   * Takes `count` places of a subject in all of its windows, or none.
   * @returns the tightest window, and whether the places were taken.
   */
  take(
    subject: string,
    limits: readonly RateLimit[],
    count: number,
    now: Date,
  ): { taken: boolean; standing: RateStanding };
  /** Tells the other processes what was counted here, and learns what they counted. Fails open, with a warning. */
  flush(): Promise<void>;
}

interface Window {
  readonly subject: string;
  readonly startsAt: number;
  readonly endsAt: number;
  /** What all processes had counted when we last heard, and what was counted here since. */
  shared: number;
  pending: number;
}

const windowSeconds = { minute: 60, hour: 3600 } as const;
const mostWindows = 100_000;

/** Counts in memory; where several processes may run, the counts are shared through a table, a few times a second. */
export function createRateLimiter(db: Database, log: Logger): RateLimiter {
  const windows = new Map<string, Window>();
  const isAlone = db.engine === 'embedded';
  let warned = false;

  function windowOf(subject: string, { name }: RateLimit, at: number): Window {
    const millis = windowSeconds[name] * 1000;
    const startsAt = at - (at % millis);
    const key = `${name} ${subject}`;
    const known = windows.get(key);
    if (known?.startsAt === startsAt) return known;
    const window = { subject: key, startsAt, endsAt: startsAt + millis, shared: 0, pending: 0 };
    if (windows.size >= mostWindows) windows.delete(windows.keys().next().value!);
    windows.set(key, window);
    return window;
  }

  return {
    take(subject, limits, count, now) {
      const at = now.getTime();
      const standings = limits.map((limit) => {
        const window = windowOf(subject, limit, at);
        const remaining = limit.most - window.shared - window.pending;
        return { limit, window, remaining, resetSeconds: Math.max(1, Math.ceil((window.endsAt - at) / 1000)) };
      });
      const tightest = standings.reduce((a, b) => (b.remaining < a.remaining ? b : a));
      const taken = tightest.remaining >= count;
      if (taken) for (const { window } of standings) window.pending += count;
      const remaining = Math.max(0, tightest.remaining - (taken ? count : 0));
      return { taken, standing: { limit: tightest.limit, remaining, resetSeconds: tightest.resetSeconds } };
    },

    async flush() {
      if (isAlone) return;
      const told = [...windows.values()]
        .filter(({ pending }) => pending > 0)
        .map((window) => ({ window, sent: window.pending }));
      if (told.length === 0) return;
      for (const { window, sent } of told) {
        // Counted as shared at once: what comes meanwhile is the next flush's.
        window.shared += sent;
        window.pending -= sent;
      }
      try {
        const totals = await addRateCounts(
          db,
          told.map(({ window, sent }) => ({
            subject: window.subject,
            startsAt: new Date(window.startsAt),
            count: sent,
          })),
        );
        for (const { window } of told) {
          const total = totals.get(`${window.subject} ${window.startsAt}`);
          if (total !== undefined) window.shared = Math.max(window.shared, total);
        }
        warned = false;
      } catch (error) {
        // Sales matter more than limits: each process goes on with its own count.
        if (!warned) log.warn({ err: error }, 'rate limits are not shared between processes now');
        warned = true;
      }
    },
  };
}
