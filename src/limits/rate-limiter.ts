import type { Database } from '../db/database.ts';
import type { Logger } from '../kernel/log.ts';
import { addRateCounts } from '../store/rate-windows.ts';
import { readRateNews, type WindowTotal, writeRateNews } from './rate-news.ts';

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
  /** What all processes had counted when we last heard. */
  shared: number;
  /** What was counted here and is on its way to the table, and what was counted since. */
  sending: number;
  pending: number;
}

const windowSeconds = { minute: 60, hour: 3600 } as const;
const mostWindows = 100_000;

/**
 * Counts in memory. Where several processes may run, each adds its counts to a table a few times a second and tells the
 * others the sums, so that what was used up at one is used up at all of them within one flush, also at those that this
 * caller has never asked before.
 */
export function createRateLimiter(db: Database, log: Logger): RateLimiter {
  const windows = new Map<string, Window>();
  /** Those with counts that the others do not know of. */
  const untold = new Set<Window>();
  const isAlone = db.engine === 'embedded';
  let warned = false;

  function windowAt(key: string, name: RateLimit['name'], startsAt: number): Window {
    const known = windows.get(key);
    if (known?.startsAt === startsAt) return known;
    const endsAt = startsAt + windowSeconds[name] * 1000;
    const window: Window = { subject: key, startsAt, endsAt, shared: 0, sending: 0, pending: 0 };
    if (windows.size >= mostWindows) windows.delete(windows.keys().next().value!);
    windows.set(key, window);
    return window;
  }

  function hear({ subject, startsAt, total }: WindowTotal): void {
    // A window that is over, by this process's clock or another's, is nobody's business any more.
    if ((windows.get(subject)?.startsAt ?? 0) > startsAt) return;
    const window = windowAt(subject, subject.startsWith('hour ') ? 'hour' : 'minute', startsAt);
    window.shared = Math.max(window.shared, total);
  }

  if (!isAlone) db.onWake('requests_counted', (text) => readRateNews(text).forEach(hear));

  return {
    take(subject, limits, count, now) {
      const at = now.getTime();
      const counting: Window[] = [];
      let limit = limits[0]!;
      let left = Number.POSITIVE_INFINITY;
      let endsAt = at;
      for (const one of limits) {
        const startsAt = at - (at % (windowSeconds[one.name] * 1000));
        const window = windowAt(`${one.name} ${subject}`, one.name, startsAt);
        counting.push(window);
        const leftOfOne = one.most - window.shared - window.sending - window.pending;
        if (leftOfOne < left) {
          limit = one;
          left = leftOfOne;
          endsAt = window.endsAt;
        }
      }
      const taken = left >= count;
      if (taken) {
        for (const window of counting) {
          window.pending += count;
          if (!isAlone) untold.add(window);
        }
      }
      const remaining = Math.max(0, left - (taken ? count : 0));
      return { taken, standing: { limit, remaining, resetSeconds: Math.max(1, Math.ceil((endsAt - at) / 1000)) } };
    },

    async flush() {
      if (untold.size === 0) return;
      const told = [...untold].map((window) => ({ window, sent: window.pending }));
      untold.clear();
      for (const { window, sent } of told) {
        // What comes meanwhile is the next flush's.
        window.sending = sent;
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
        const news = told.map(({ window: { subject, startsAt } }): WindowTotal => {
          return { subject, startsAt, total: totals.get(`${subject} ${startsAt}`)! };
        });
        for (const [index, { window }] of told.entries()) {
          window.sending = 0;
          window.shared = Math.max(window.shared, news[index]!.total);
        }
        for (const text of writeRateNews(news)) db.wake('requests_counted', text);
        warned = false;
      } catch (error) {
        // Sales matter more than limits: each process goes on with its own count, and tells it when it can.
        for (const { window, sent } of told) {
          window.sending = 0;
          window.pending += sent;
          if (windows.get(window.subject) === window) untold.add(window);
        }
        if (!warned) log.warn({ err: error }, 'rate limits are not shared between processes now');
        warned = true;
      }
    },
  };
}
