import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { type CheckoutSessionRow, statusOfCheckoutSession } from '../model/checkout-session.ts';
import { findCheckoutSession, lockCheckoutSession, markCheckoutCancelled } from '../store/checkout-sessions.ts';
import { cancelOrder } from './cancel-order.ts';

/**
 * pending → cancelled, and its order with it. Money that still arrives is recorded and flagged on the order. Cancelling
 * twice is harmless. @throws {AppError} 404, 409 for one that was paid, 410 for one that is over by itself.
 */
export async function cancelCheckout(
  tx: Handle,
  scope: Scope,
  idOrToken: string,
  now: Date,
): Promise<CheckoutSessionRow> {
  const seen = await findCheckoutSession(tx, scope, idOrToken);
  if (!seen) throw notFound('Checkout session');
  if (statusOfCheckoutSession(seen, now) === 'expired')
    throw new AppError('gone', 'The checkout session expired unpaid already');
  // The order's lock comes before the session's (flows/README.md).
  if (seen.order_id && !seen.cancelled_at && !seen.completed_at) await cancelOrder(tx, scope, seen.order_id, now);
  const session = (await lockCheckoutSession(tx, seen.id))!;
  if (session.completed_at) throw new AppError('conflict', 'The checkout session is completed; it cannot be cancelled');
  if (session.order_id && !seen.order_id) {
    throw new AppError('conflict', 'A customer opened this checkout just now; cancel it once more', {
      retryAfterSeconds: 1,
    });
  }
  if (session.cancelled_at) return session;
  await markCheckoutCancelled(tx, session.id, now);
  return { ...session, cancelled_at: now, updated_at: now };
}
