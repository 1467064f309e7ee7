/** Requests a second that a host starts with, and the most it is ever given. */
const startRate = 5;
const topRate = 50;
const lowestRate = 0.1;
/** While a host does not complain its rate grows by this share a minute. */
const growthPerMinute = 0.1;
/** A quiet host saves up this many seconds' worth of requests. */
const burstSeconds = 2;
const defaultPauseSeconds = 10;
/** Wallets choose the hosts of their verify URLs, as many as they like; the one asked longest ago is forgotten. */
const mostHosts = 10_000;

/** The host's budget is used up for now; the wallet was not asked. */
export class LookDeferred extends Error {
  readonly waitMillis: number;

  constructor(waitMillis: number) {
    super(`The wallet's host may be asked again in ${Math.ceil(waitMillis)} ms`);
    this.name = 'LookDeferred';
    this.waitMillis = waitMillis;
  }
}

interface HostState {
  rate: number;
  tokens: number;
  filledAt: number;
  /** No request before this moment (performance.now). */
  closedUntil: number;
}

/**
 * How often each wallet host may be asked for look-ups. Hosts belong to strangers: a rate that they complain about
 * (429) is halved and their `Retry-After` kept, and it grows back slowly while they are content.
 */
export class HostBudgets {
  readonly #hosts = new Map<string, HostState>();
  readonly #now: () => number;

  /** @param now milliseconds on a clock that never jumps. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes one request. @returns 0 when it may go now, else the milliseconds until one may. */
  take(host: string): number {
    const state = this.#fill(host);
    const now = this.#now();
    if (state.closedUntil > now) return state.closedUntil - now;
    if (state.tokens >= 1) {
      state.tokens -= 1;
      return 0;
    }
    return ((1 - state.tokens) / state.rate) * 1000;
  }

  /** The host asked for less. What it asked for before stands: answers to several requests overtake each other. */
  complained(host: string, retryAfterSeconds: number | undefined): void {
    const state = this.#fill(host);
    state.rate = Math.max(lowestRate, state.rate / 2);
    state.tokens = 0;
    const until = this.#now() + (retryAfterSeconds ?? defaultPauseSeconds) * 1000;
    state.closedUntil = Math.max(state.closedUntil, until);
  }

  #fill(host: string): HostState {
    const now = this.#now();
    const known = this.#hosts.get(host);
    const state = known ?? { rate: startRate, tokens: startRate * burstSeconds, filledAt: now, closedUntil: 0 };
    // To the end of the line of those that are forgotten.
    this.#hosts.delete(host);
    this.#hosts.set(host, state);
    if (this.#hosts.size > mostHosts) this.#hosts.delete(this.#hosts.keys().next().value!);
    if (!known) return state;
    const elapsed = (now - state.filledAt) / 1000;
    state.filledAt = now;
    if (state.closedUntil <= now) state.rate = Math.min(topRate, state.rate * (1 + (growthPerMinute * elapsed) / 60));
    state.tokens = Math.min(state.rate * burstSeconds, state.tokens + elapsed * state.rate);
    return state;
  }
}
