import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { RateLimiter } from './rate-limiter.ts';

/**
 * Takes one of the hour's deliveries of an order: a call that hands out the key of its content.
 * @throws {AppError} `rate_limited`, with the seconds to wait, when the merchant's plan allows no more.
 */
export function takeDelivery(limiter: RateLimiter, { limits }: Caller, orderId: string, now: Date): void {
  const most = limits.deliveriesPerOrderPerHour;
  if (most === null) return;
  const { taken, standing } = limiter.take(`deliveries of ${orderId}`, [{ name: 'hour', most }], 1, now);
  if (taken) return;
  throw new AppError('rate_limited', `The key for this order was handed out ${most} times in this hour; wait`, {
    retryAfterSeconds: standing.resetSeconds,
  });
}
