import { readAccessToken } from '../entitlements/access-token.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { findAccessStanding } from '../store/access-grants.ts';
import type { Parts } from './parts.ts';

/** What a living token opens. */
interface VerifiedAccess {
  readonly expiresAt: Date;
  /** Whole, at least 1. */
  readonly remainingSeconds: number;
  readonly orderId: string | null;
  readonly productId: string | null;
  readonly resourceId: string;
  readonly resourceType: string;
  /** False when a key of the product is not for browsers. */
  readonly browserDelivery: boolean;
}

/**
 * Checks an access token for a merchant and mode.
 * @throws {AppError} `payment_required`, the only sign of a dead token: tampered with, over, of another merchant or mode,
 * or of an order that was refunded in full.
 */
export async function verifyAccess(parts: Parts, scope: Scope, token: string, now: Date): Promise<VerifiedAccess> {
  const key = await parts.accessKeys.find(scope);
  const claims = key && readAccessToken(token, key, now);
  if (!claims) throw dead();
  const remainingSeconds = Math.max(1, Math.floor((claims.expiresAt.getTime() - now.getTime()) / 1000));
  const { expiresAt } = claims;
  if ('resourceId' in claims) {
    const { resourceId, resourceType } = claims;
    return {
      expiresAt,
      remainingSeconds,
      orderId: null,
      productId: null,
      resourceId,
      resourceType,
      browserDelivery: true,
    };
  }
  const { orderId, productId } = claims;
  const standing = await findAccessStanding(parts.db, scope, orderId, productId);
  if (standing?.order_status !== 'paid') throw dead();
  const resourceType = standing.resource_type ?? 'product';
  const browserDelivery = standing.browser_delivery;
  return { expiresAt, remainingSeconds, orderId, productId, resourceId: productId, resourceType, browserDelivery };
}

function dead(): AppError {
  return new AppError(
    'payment_required',
    'This access token does not open anything (any more); access has to be bought',
  );
}
