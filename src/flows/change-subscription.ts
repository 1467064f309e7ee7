import type { Handle } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { periodNumberAt, periodStart } from '../model/billing-calendar.ts';
import { scopeOf } from '../model/scope.ts';
import { calendarOf, canBecome, type SubscriptionRow } from '../model/subscription.ts';
import { movePeriodDue } from '../store/subscriptions.ts';
import { endSubscription } from './end-subscription.ts';
import { type LockedSubscription, lockSubscription } from './lock-subscription.ts';
import type { Parts } from './parts.ts';
import { readCalendar, type SubscriptionCalendar, saveSubscription } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';

/**
 * Pauses: nothing is charged, announced or ended by time until it is resumed. An order that is open stays payable.
 * Pausing twice is harmless. @throws {AppError} 409 for an invitation or a subscription that has ended.
 */
export const pauseSubscription = change(async (tx, { subscription, unsettled }, calendar) => {
  if (subscription.status === 'paused') return subscription;
  if (!canBecome(subscription.status, 'paused')) throw refusal(subscription, 'paused');
  const paused = await saveSubscription(
    tx,
    { ...subscription, status: 'paused', paused_at: calendar.today },
    unsettled,
    calendar,
  );
  await recordSubscriptionEvent(tx, 'subscription.paused', paused, calendar.now, { dedupe: newId() });
  return paused;
});

/**
 * Resumes. Charges stay on their days: the next one is the first that lies ahead, and periods that began during the
 * pause are not charged, nor is what is left of the one that runs. An order that was open falls due anew today.
 * @throws {AppError} 409 unless it is paused.
 */
export const resumeSubscription = change(async (tx, { subscription, unsettled }, calendar) => {
  if (subscription.status !== 'paused') throw refusal(subscription, 'resumed');
  const { today, now } = calendar;
  const inTrial = subscription.current_period_start === null;
  const due = unsettled && { ...unsettled, due_at: today };
  if (due) await movePeriodDue(tx, due.id, today);
  const resumed: SubscriptionRow = {
    ...subscription,
    status: inTrial ? 'trialing' : 'active',
    ...(inTrial ? startOf(subscription, calendar) : runningPeriod(subscription, calendar)),
    paused_at: null,
  };
  const saved = await saveSubscription(tx, resumed, due, calendar);
  await recordSubscriptionEvent(tx, 'subscription.resumed', saved, now, { dedupe: newId() });
  return saved;
});

/** `at_paid_end`: with the period that runs, or the trial, unless that period is still to be paid; then now. */
type CancelMoment = 'now' | 'at_period_end' | 'at_paid_end';

/**
 * Cancels, now or when the period that runs (or the trial) is over. Cancelling twice is harmless, and cancelling now
 * what was to end later ends it now. An invitation or a paused subscription has nothing to wait for and ends now.
 */
export function cancelSubscription(
  tx: Handle,
  parts: Parts,
  seen: SubscriptionRow,
  moment: CancelMoment,
): Promise<SubscriptionRow> {
  return change(async (inner, locked, calendar) => {
    const { subscription, unsettled } = locked;
    if (subscription.status === 'cancelled') return subscription;
    const isOver = moment === 'now' || (moment === 'at_paid_end' && unsettled !== undefined);
    if (isOver || ['invited', 'paused'].includes(subscription.status)) return endSubscription(inner, locked, calendar);
    return saveSubscription(inner, { ...subscription, cancel_at_period_end: true }, unsettled, calendar);
  })(tx, parts, seen);
}

// A trial whose end passed during the pause ends now: the first charge is made today, and the others counted from it.
function startOf(subscription: SubscriptionRow, { today }: SubscriptionCalendar) {
  if (subscription.cancel_at_period_end) return {};
  return subscription.next_billing_at! > today
    ? {}
    : { anchor_at: today, next_billing_at: today, trial_ends_at: today };
}

// What was to end with a period that is over ends now: its dates stay for the job to see that.
function runningPeriod(subscription: SubscriptionRow, { today }: SubscriptionCalendar) {
  if (subscription.cancel_at_period_end) return {};
  if (subscription.next_billing_at! > today) return {};
  const dates = calendarOf(subscription);
  const number = periodNumberAt(dates, today);
  const end = periodStart(dates, number + 1);
  return { current_period_start: periodStart(dates, number), current_period_end: end, next_billing_at: end };
}

function refusal({ status }: SubscriptionRow, wanted: string): AppError {
  return new AppError('conflict', `The subscription is ${status} and cannot be ${wanted}`);
}

type Change = (tx: Handle, locked: LockedSubscription, calendar: SubscriptionCalendar) => Promise<SubscriptionRow>;

function change(work: Change) {
  return async (tx: Handle, parts: Parts, seen: SubscriptionRow): Promise<SubscriptionRow> => {
    const locked = await lockSubscription(tx, seen);
    const scope = scopeOf(seen);
    const calendar = await readCalendar(tx, scope, parts.clock.now());
    return work(tx, locked, calendar);
  };
}
