import { networkOf } from './network-of.ts';

/** What a visit costs: a page with everything on it, or a look at how a checkout stands. */
const visitCost = { page: 5, glance: 1 } as const;
/** What one address may do each second, and what at once before that counts, as the cost of visits. */
const costPerSecond = 50;
const burstCost = 150;
/** Who would wait longer is turned away at once: nobody looks at an empty page for long. */
const patienceMillis = 5000;
/** Addresses remembered; the one that has been silent longest is forgotten, and begins anew. */
const mostRemembered = 50_000;

export type Visit = keyof typeof visitCost;

/** How fast each address (a /64 with IPv6) may open the pages of strangers: 10 pages a second after a burst of 30. */
export interface VisitorPace {
  /** @returns milliseconds after which the visit may begin, or that it is refused and how long it would have been. */
  book(visit: Visit, address: string): { waitMillis: number; isRefused: boolean };
}

/** Counted in this process: with several, each counts what came to it. @param now monotonic milliseconds */
export function createVisitorPace(now: () => number = () => performance.now()): VisitorPace {
  /** When all that was booked would be done at the even pace (the generic cell rate algorithm, ITU-T I.371). */
  const doneAt = new Map<string, number>();

  return {
    book(visit, address) {
      const at = now();
      const network = networkOf(address);
      const booked = Math.max(at, doneAt.get(network) ?? 0);
      const waitMillis = Math.max(0, booked - at - (burstCost / costPerSecond) * 1000);
      if (waitMillis > patienceMillis) return { waitMillis, isRefused: true };
      // To the end of the line of those that are forgotten.
      doneAt.delete(network);
      doneAt.set(network, booked + (visitCost[visit] / costPerSecond) * 1000);
      if (doneAt.size > mostRemembered) doneAt.delete(doneAt.keys().next().value!);
      return { waitMillis, isRefused: false };
    },
  };
}
