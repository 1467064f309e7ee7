import { networkOf } from './network-of.ts';

/** Visits of strangers that are worked on at a time; the others wait. Merchants' calls need no place. */
const mostAtWork = 4;
const mostAtWorkPerAddress = 1;
/** Visits that wait for a wallet do no work here, but each of them holds something. */
const mostAsidePerAddress = 20;
const mostWaiting = 1000;

/** The place of a visit that is being worked on. */
export interface VisitorPlace {
  /** Runs what waits for somebody else, such as a wallet, while other visits are worked on. */
  aside<T>(work: () => Promise<T>): Promise<T>;
  /** Once is enough; more does no harm. */
  leave(): void;
}

export interface VisitorPlaces {
  /**
   * Waits for its turn: first come first served, but for addresses that have enough already.
   * @returns undefined when too many wait, or when the visitor left before its turn.
   */
  enter(address: string, left: AbortSignal): Promise<VisitorPlace | undefined>;
}

interface Waiting {
  readonly network: string;
  /** Was at work before: it is finished before anything new is begun. */
  readonly isBack: boolean;
  readonly begin: () => void;
}

/**
 * Strangers' pages share a few places: however many come, a merchant's call finds no more than that many pieces of their
 * work before it, in the event loop and at the database, and connections that are free.
 */
export function createVisitorPlaces(): VisitorPlaces {
  const atWork = new Map<string, number>();
  const aside = new Map<string, number>();
  const waiting: Waiting[] = [];
  let allAtWork = 0;

  function mayBegin({ network, isBack }: Waiting): boolean {
    if (allAtWork >= mostAtWork || (atWork.get(network) ?? 0) >= mostAtWorkPerAddress) return false;
    return isBack || (aside.get(network) ?? 0) < mostAsidePerAddress;
  }

  function beginWhoMay(): void {
    for (let index = waiting.findIndex(mayBegin); index >= 0; index = waiting.findIndex(mayBegin)) {
      const [next] = waiting.splice(index, 1);
      change(next!.network, 1);
      next!.begin();
    }
  }

  function change(network: string, by: 1 | -1): void {
    allAtWork += by;
    add(atWork, network, by);
    if (by < 0) beginWhoMay();
  }

  /** @returns whether there is a place now; no when the visitor left. */
  function turnOf(network: string, isBack: boolean, left: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(one), 1);
        resolve(false);
      };
      const begin = () => {
        left.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const one = { network, isBack, begin };
      left.addEventListener('abort', giveUp, { once: true });
      if (isBack) waiting.unshift(one);
      else waiting.push(one);
      beginWhoMay();
    });
  }

  return {
    async enter(address, left) {
      const network = networkOf(address);
      if (left.aborted || waiting.length >= mostWaiting) return undefined;
      let isAtWork = await turnOf(network, false, left);
      if (!isAtWork) return undefined;

      function leave(): void {
        if (isAtWork) change(network, -1);
        isAtWork = false;
      }
      return {
        leave,
        async aside(work) {
          add(aside, network, 1);
          leave();
          try {
            return await work();
          } finally {
            add(aside, network, -1);
            beginWhoMay();
            // Who is gone needs no place for what is left to do: it was let in once, and nobody waits for it.
            if (!left.aborted) isAtWork = await turnOf(network, true, left);
          }
        },
      };
    },
  };
}

function add(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}
