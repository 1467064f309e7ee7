import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { nextStep, type PeriodRow, type SubscriptionRow } from '../model/subscription.ts';
import { updateSubscription } from '../store/subscriptions.ts';
import { findClockOffsetSeconds } from '../store/test-clocks.ts';

/**
 * The calendar that subscriptions go by: business time, put ahead by a merchant's test clock in test mode
 * (docs/decisions/a-test-clock-moves-subscriptions-and-shortens-invoices.md).
 */
export interface SubscriptionCalendar {
  /** By the calendar. */
  readonly today: Date;
  /** By the clock: for orders, invoices and everything else that is written down. */
  readonly now: Date;
  readonly offsetSeconds: number;
}

/** @param now business time. */
export async function readCalendar(db: Handle, scope: Scope, now: Date): Promise<SubscriptionCalendar> {
  const offsetSeconds = await findClockOffsetSeconds(db, scope);
  return { now, offsetSeconds, today: addSeconds(now, offsetSeconds) };
}

/** Writes a locked subscription, and when time has something to do with it next. @returns it as written. */
export async function saveSubscription(
  tx: Handle,
  row: SubscriptionRow,
  unsettled: PeriodRow | undefined,
  { today, offsetSeconds }: SubscriptionCalendar,
): Promise<SubscriptionRow> {
  const due = nextStep(row, unsettled);
  const saved = { ...row, look_at: due ? addSeconds(due.at, -offsetSeconds) : null, updated_at: today };
  await updateSubscription(tx, saved);
  return saved;
}
