import type { Handle } from '../db/database.ts';
import { addSeconds, later } from '../kernel/clock.ts';
import { graceSeconds, type PeriodRow, type SubscriptionRow } from '../model/subscription.ts';
import { movePeriodDue } from '../store/subscriptions.ts';
import { type SubscriptionCalendar, saveSubscription } from './subscription-calendar.ts';

/**
 * Writes a locked subscription whose unpaid order falls due anew, because its customer could not pay for a time: as many
 * days as an order has that was made today; one that is late has those until the end.
 */
export async function postponeCharge(
  tx: Handle,
  subscription: SubscriptionRow,
  unsettled: PeriodRow,
  calendar: SubscriptionCalendar,
): Promise<{ subscription: SubscriptionRow; period: PeriodRow }> {
  const isLate = subscription.status === 'past_due';
  const from = isLate ? addSeconds(calendar.today, -graceSeconds) : calendar.today;
  const period = { ...unsettled, due_at: later(unsettled.due_at, from) };
  await movePeriodDue(tx, period.id, period.due_at);
  return { subscription: await saveSubscription(tx, subscription, period, calendar), period };
}
