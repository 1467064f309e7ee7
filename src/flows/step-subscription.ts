import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { scopeOf } from '../model/scope.ts';
import { nextStep } from '../model/subscription.ts';
import type { DueSubscription } from '../store/subscriptions.ts';
import { billPeriod } from './bill-period.ts';
import { endSubscription } from './end-subscription.ts';
import { claimSubscription, type LockedSubscription } from './lock-subscription.ts';
import type { Parts } from './parts.ts';
import { postponeCharge } from './postpone-charge.ts';
import { queueSubscriptionMail } from './queue-subscription-mail.ts';
import { readCalendar, type SubscriptionCalendar, saveSubscription } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';

/** An end that comes so much too late was missed in a downtime, when nobody could pay: it is put off instead. */
const missedSeconds = 3600;

/**
 * What the billing job does: takes one subscription that is due and does the one thing that time wants of it. Whoever
 * has the subscription already is left to it; what was due and is not any more is left alone.
 * @returns whether anything was done.
 */
export async function stepDueSubscription(parts: Parts, seen: DueSubscription): Promise<boolean> {
  return parts.db.transaction(async (tx) => {
    const now = parts.clock.now();
    const locked = await claimSubscription(tx, seen, now);
    if (!locked) return false;
    const calendar = await readCalendar(tx, scopeOf(seen), now);
    return stepSubscription(tx, parts, locked, calendar);
  });
}

/** The next thing that time wants of a locked subscription, if it wants it by now. @returns whether it did. */
export async function stepSubscription(
  tx: Handle,
  parts: Parts,
  locked: LockedSubscription,
  calendar: SubscriptionCalendar,
): Promise<boolean> {
  const { subscription, unsettled, order } = locked;
  const { now, today } = calendar;
  const due = nextStep(subscription, unsettled);
  if (!due || due.at > today) {
    // Somebody moved its clock or its dates; written down, so that the job does not come back at once.
    await saveSubscription(tx, subscription, unsettled, calendar);
    return false;
  }
  switch (due.step) {
    case 'bill':
      await billPeriod(tx, parts, subscription, calendar);
      return true;
    case 'cancel':
      await endSubscription(tx, locked, calendar);
      return true;
    case 'tell_trial_end': {
      const told = await saveSubscription(tx, { ...subscription, trial_end_told: true }, unsettled, calendar);
      // After a downtime it may be over by now; announcing its end would be untrue.
      if (today < subscription.trial_ends_at!) {
        await recordSubscriptionEvent(tx, 'subscription.trial_will_end', told, now);
        await queueSubscriptionMail(tx, parts, 'trial_ends', told, now);
      }
      return true;
    }
    case 'lapse':
      if (today > addSeconds(due.at, missedSeconds)) await postponeCharge(tx, subscription, unsettled!, calendar);
      else await endSubscription(tx, locked, calendar);
      return true;
    case 'mark_past_due': {
      // Told late, after a downtime, the customer has the days from the telling to the end all the same.
      const marked = { ...subscription, status: 'past_due' as const };
      const { subscription: late, period } = await postponeCharge(tx, marked, unsettled!, calendar);
      const about = { dedupe: newId(), period, order: order! };
      await recordSubscriptionEvent(tx, 'subscription.past_due', late, now, about);
      await queueSubscriptionMail(tx, parts, 'past_due', late, now, order);
      return true;
    }
  }
}
