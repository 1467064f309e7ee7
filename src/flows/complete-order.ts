import type { Handle } from '../db/database.ts';
import type { OrderAttention, OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { supersedeOpenInvoice } from '../store/invoices.ts';
import { markOrderPaid } from '../store/orders.ts';
import { advanceSubscription } from './advance-subscription.ts';
import { completeCheckout } from './complete-checkout.ts';
import { grantAccess } from './grant-access.ts';
import { recordSale } from './record-sale.ts';

export interface Completion {
  paidAt: Date;
  cashPaidAt: Date | null;
  attention: OrderAttention | null;
  now: Date;
}

/** What is known when an order becomes paid. */
interface CompletionFacts extends Completion {
  /** As it is after becoming paid. */
  order: OrderRow;
  /** The payment that completed it. */
  payment: PaymentRow;
}

/**
 * What follows a paid order, in this order. Steps are told facts and never call flows of their own, so that the list
 * stays the whole story.
 */
const steps: readonly ((tx: Handle, facts: CompletionFacts) => Promise<void>)[] = [
  // A newer invoice may still be open when an older one was paid: nobody should pay that too.
  (tx, { order, now }) => supersedeOpenInvoice(tx, order.id, now),
  (tx, { order, payment, paidAt, now }) => completeCheckout(tx, order, payment, paidAt, now),
  (tx, { order, payment, now }) => recordSale(tx, order, payment, now),
  (tx, { order, now }) => grantAccess(tx, order, now),
  (tx, { order, now }) => advanceSubscription(tx, order, now),
];

/** An order as it is after becoming paid, so that events which come before that can say so. */
export function toPaidOrder(before: OrderRow, { paidAt, cashPaidAt, attention, now }: Completion): OrderRow {
  return {
    ...before,
    status: 'paid',
    paid_at: paidAt,
    cash_paid_at: cashPaidAt,
    attention: attention ?? before.attention,
    updated_at: now,
  };
}

/**
 * pending → paid with everything that follows, in the transaction that holds the order's lock.
 * @returns the order as committed. Its `order.paid` event is the caller's, who knows what else happened.
 */
export async function completeOrder(
  tx: Handle,
  before: OrderRow,
  payment: PaymentRow,
  completion: Completion,
): Promise<OrderRow> {
  const order = toPaidOrder(before, completion);
  if (!(await markOrderPaid(tx, order.id, completion))) throw new Error(`Order ${order.id} was not pending`);
  for (const step of steps) await step(tx, { ...completion, order, payment });
  return order;
}
