import type { Handle } from '../db/database.ts';
import { scopeOf } from '../model/scope.ts';
import type { SubscriptionRow } from '../model/subscription.ts';
import { settlePeriod } from '../store/subscriptions.ts';
import { cancelOrder } from './cancel-order.ts';
import type { LockedSubscription } from './lock-subscription.ts';
import { type SubscriptionCalendar, saveSubscription } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';

/**
 * Ends a locked subscription. Its unpaid order is cancelled with it, because nobody should pay for what does not go on;
 * money that still arrives is recorded on that order with `attention` paid_after_cancel and starts nothing anew.
 */
export async function endSubscription(
  tx: Handle,
  { subscription, unsettled, order }: LockedSubscription,
  calendar: SubscriptionCalendar,
): Promise<SubscriptionRow> {
  const { now, today } = calendar;
  const scope = scopeOf(subscription);
  if (unsettled) await settlePeriod(tx, unsettled.id);
  if (order?.status === 'pending') await cancelOrder(tx, scope, order.id, now);
  const ended = await saveSubscription(
    tx,
    { ...subscription, status: 'cancelled', cancelled_at: today, next_billing_at: null, paused_at: null },
    undefined,
    calendar,
  );
  await recordSubscriptionEvent(tx, 'subscription.cancelled', ended, now);
  return ended;
}
