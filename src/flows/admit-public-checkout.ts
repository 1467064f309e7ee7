import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type CheckoutSessionRow, checkoutLifeSeconds } from '../model/checkout-session.ts';
import type { Parts } from './parts.ts';

interface PublicVisit {
  merchantId: string;
  /** Where the stranger calls from; undefined where the door does not know. */
  address: string | undefined;
  now: Date;
}

/**
 * Makes a checkout on behalf of a stranger, who may make only so many at one merchant.
 * @throws {AppError} 429 with the seconds to wait.
 */
export async function admitPublicCheckout<Made extends { session: CheckoutSessionRow }>(
  parts: Parts,
  { merchantId, address, now }: PublicVisit,
  make: () => Promise<Made>,
): Promise<Made> {
  const place = { kind: 'checkout' as const, merchantId, address: address ?? 'unknown', subject: newId() };
  const waitSeconds = parts.publicQuota.take({ ...place, now, lifeSeconds: checkoutLifeSeconds });
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many checkouts were opened from here; wait a little', {
      retryAfterSeconds: waitSeconds,
    });
  }
  try {
    const made = await make();
    // Nothing is left open by one that was free.
    if (made.session.completed_at) parts.publicQuota.giveBack(place);
    return made;
  } catch (error) {
    parts.publicQuota.giveBack(place);
    throw error;
  }
}
