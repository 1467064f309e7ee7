import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { networkOf } from './network-of.ts';
import type { RateLimit, RateLimiter, RateStanding } from './rate-limiter.ts';

/** Requests of strangers, by address. */
const unauthenticated: readonly RateLimit[] = [{ name: 'minute', most: 6000 }];

/**
 * Takes `count` requests of a caller, or of an address where no key was sent: all of them or none.
 * @returns headers for every answer (draft-ietf-httpapi-ratelimit-headers).
 * @throws {AppError} `rate_limited` with the seconds to wait, and the headers as its cause's.
 */
export function takeRequests(
  limiter: RateLimiter,
  caller: Caller | undefined,
  address: string,
  count: number,
  now: Date,
): Record<string, string> {
  const limits = caller ? limitsOf(caller) : unauthenticated;
  const { taken, standing } = limiter.take(caller?.credentialId ?? `address ${networkOf(address)}`, limits, count, now);
  if (taken) return rateHeaders(standing);
  const tooSmall = limits.find(({ most }) => count > most);
  if (tooSmall) {
    const { most, name } = tooSmall;
    throw new RateLimited(`${count} requests at once never fit into ${most} a ${name}; send fewer`, standing);
  }
  const { most, name } = standing.limit;
  const wait = standing.resetSeconds;
  throw new RateLimited(`More than ${most} requests in this ${name}; wait ${wait} s`, standing, wait);
}

/** A 429 that still tells where the caller stands. */
export class RateLimited extends AppError {
  readonly headers: Record<string, string>;

  /** @param retryAfterSeconds left out where waiting does not help. */
  constructor(message: string, standing: RateStanding, retryAfterSeconds?: number) {
    super('rate_limited', message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
    this.headers = rateHeaders(standing);
  }
}

/** The same caller sends thousands of requests with the same limits. */
const known = new WeakMap<Caller['limits'], readonly RateLimit[]>();

function limitsOf({ limits }: Caller): readonly RateLimit[] {
  let found = known.get(limits);
  if (!found) {
    const minute: RateLimit = { name: 'minute', most: limits.perMinute };
    found = limits.perHour === null ? [minute] : [minute, { name: 'hour', most: limits.perHour }];
    known.set(limits, found);
  }
  return found;
}

function rateHeaders({ limit, remaining, resetSeconds }: RateStanding): Record<string, string> {
  const seconds = limit.name === 'minute' ? 60 : 3600;
  return {
    'ratelimit-policy': `"${limit.name}";q=${limit.most};w=${seconds}`,
    ratelimit: `"${limit.name}";r=${remaining};t=${resetSeconds}`,
  };
}
