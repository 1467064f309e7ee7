import { AppError, notFound } from '../kernel/errors.ts';
import { statusOfCheckoutSession } from '../model/checkout-session.ts';
import { scopeOf } from '../model/scope.ts';
import type { SimulatedOutcome } from '../model/simulated-payment.ts';
import { findCheckoutSessionByToken } from '../store/checkout-sessions.ts';
import { findPaymentOfOrder } from '../store/payments.ts';
import { findUsableInvoice, openCheckout } from './open-checkout.ts';
import type { Parts } from './parts.ts';
import { simulatePayment } from './simulate-payment.ts';

/**
 * The payer of test mode pays a checkout. Paying again answers the same payment.
 * @throws {AppError} 404, 403 for a live checkout, 410 when it is over, 422 when its wallet is a real one.
 */
export async function simulateCheckoutPayment(
  parts: Parts,
  token: string,
  signal: AbortSignal,
): Promise<SimulatedOutcome> {
  const session = await findCheckoutSessionByToken(parts.db, token);
  if (!session) throw notFound('Checkout session');
  if (session.livemode) throw new AppError('forbidden', 'Only a test checkout can be paid this way');
  const scope = scopeOf(session);
  if (session.completed_at && session.order_id) {
    return { payment: (await findPaymentOfOrder(parts.db, scope, session.order_id))! };
  }
  if (statusOfCheckoutSession(session, parts.clock.now()) !== 'pending')
    throw new AppError('gone', 'This checkout is over');
  const invoice = (await findUsableInvoice(parts, session)) ?? (await openCheckout(parts, session, signal)).invoice;
  const payer = { afterSeconds: 0, amountSats: undefined };
  return simulatePayment(parts, scope, invoice.id, payer, signal);
}
