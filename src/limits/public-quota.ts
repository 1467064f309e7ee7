/** What strangers behind one address can cause at one merchant, so that a flood never starves the merchant's own sales. */
const mostPerMinute = 30;
const mostOpen = 100;
const minuteMillis = 60_000;
/** Addresses remembered; beyond it the oldest are forgotten. */
const mostRemembered = 50_000;

interface Past {
  /** Moments of the last minute. */
  asked: number[];
  /** When what was opened closes by itself. */
  closes: number[];
}

export interface PublicQuota {
  /**
   * Takes a place for one invoice, or says how long to wait for one.
   * @param lifeSeconds how long the place is held.
   * @returns 0 when it was taken, else the seconds until it is worth trying again.
   */
  take(merchantId: string, address: string, now: Date, lifeSeconds: number): number;
}

/** Counted in this process: with several, each counts what came to it. */
export function createPublicQuota(): PublicQuota {
  const pasts = new Map<string, Past>();
  return {
    take(merchantId, address, now, lifeSeconds) {
      const key = `${merchantId} ${address}`;
      const at = now.getTime();
      const known = pasts.get(key);
      const past: Past = {
        asked: known?.asked.filter((moment) => moment > at - minuteMillis) ?? [],
        closes: known?.closes.filter((moment) => moment > at) ?? [],
      };
      // To the end: the one that has been silent longest goes first.
      pasts.delete(key);
      pasts.set(key, past);
      if (pasts.size > mostRemembered) pasts.delete(pasts.keys().next().value!);
      if (past.asked.length >= mostPerMinute) return secondsUntil(past.asked[0]! + minuteMillis, at);
      if (past.closes.length >= mostOpen) return secondsUntil(Math.min(...past.closes), at);
      past.asked.push(at);
      past.closes.push(at + lifeSeconds * 1000);
      return 0;
    },
  };
}

const secondsUntil = (moment: number, now: number): number => Math.max(1, Math.ceil((moment - now) / 1000));
