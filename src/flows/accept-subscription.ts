import type { Handle } from '../db/database.ts';
import { later } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { addDays, dayOf, startOfDay } from '../model/billing-calendar.ts';
import { scopeOf } from '../model/scope.ts';
import type { SubscriptionRow } from '../model/subscription.ts';
import { lockSubscriptionRow } from '../store/subscriptions.ts';
import { billPeriod } from './bill-period.ts';
import type { Parts } from './parts.ts';
import { readCalendar, saveSubscription } from './subscription-calendar.ts';

/**
 * The customer accepts the invitation; accepting twice is harmless. The subscription starts on the day that was asked
 * for, or at this moment when that day has come: nobody is charged for days before they agreed. The first charge is made
 * at the start, or so many trial days after it, and every later one is counted from there.
 * @throws {AppError} 409 when the invitation was withdrawn.
 */
export async function acceptSubscription(tx: Handle, parts: Parts, seen: SubscriptionRow): Promise<SubscriptionRow> {
  const now = parts.clock.now();
  // An invitation has no order yet that would have to be locked before it.
  const subscription = (await lockSubscriptionRow(tx, seen.id))!;
  if (subscription.status === 'cancelled') {
    throw new AppError('conflict', 'This subscription was cancelled and can no longer be accepted');
  }
  if (subscription.status !== 'invited') return subscription;
  const scope = scopeOf(subscription);
  const calendar = await readCalendar(tx, scope, now);
  const { today } = calendar;
  const { time_zone: zone, starts_on: wanted, trial_days: trialDays } = subscription;
  const asked = wanted === null ? today : startOfDay(wanted, zone);
  const start = later(asked, today);
  const anchor = trialDays === 0 ? start : addDays(start, trialDays, zone);
  const accepted: SubscriptionRow = {
    ...subscription,
    accepted_at: today,
    starts_on: dayOf(start, zone),
    anchor_at: anchor,
    next_billing_at: anchor,
  };
  if (anchor <= today) return billPeriod(tx, parts, accepted, calendar);
  const trialing = { ...accepted, status: 'trialing' as const, trial_ends_at: anchor };
  return saveSubscription(tx, trialing, undefined, calendar);
}
