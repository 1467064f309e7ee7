import type { Handle } from '../db/database.ts';
import type { CheckoutSessionRow } from '../model/checkout-session.ts';
import { findCheckoutSessionOfOrder } from '../store/checkout-sessions.ts';
import { writeCheckoutOrder } from './open-checkout.ts';
import type { Parts } from './parts.ts';
import { takeNothing } from './take-nothing.ts';

/** A session of 0: nothing is asked of a wallet, and a payment of 0 sats says that all is paid. */
export async function completeFreeCheckout(
  tx: Handle,
  parts: Parts,
  session: CheckoutSessionRow,
  now: Date,
): Promise<CheckoutSessionRow> {
  const order = await writeCheckoutOrder(tx, parts, session, now);
  await takeNothing(tx, order, now);
  return (await findCheckoutSessionOfOrder(tx, order.id))!;
}
