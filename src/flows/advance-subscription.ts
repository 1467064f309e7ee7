import type { Handle } from '../db/database.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { findPeriodByOrder, lockSubscriptionRow, settlePeriod } from '../store/subscriptions.ts';
import { readCalendar, saveSubscription } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';

/**
 * A step that follows an order that is paid, or that the merchant took back: its period is settled, and a subscription
 * that was past due is active again. Dates stay as they are, late or not; if the next period has begun meanwhile, the
 * billing job bills that one.
 *
 * A subscription that was cancelled stays so: its order was cancelled with it and cannot become paid. One that is paused
 * stays paused.
 */
export async function advanceSubscription(tx: Handle, order: OrderRow, now: Date): Promise<void> {
  if (order.source !== 'subscription') return;
  const period = await findPeriodByOrder(tx, order.id);
  if (!period || period.settled) return;
  const subscription = (await lockSubscriptionRow(tx, period.subscription_id))!;
  await settlePeriod(tx, period.id);
  const calendar = await readCalendar(tx, scopeOf(order), now);
  const wasLate = subscription.status === 'past_due';
  const row = wasLate ? { ...subscription, status: 'active' as const } : subscription;
  const saved = await saveSubscription(tx, row, undefined, calendar);
  if (wasLate) await recordSubscriptionEvent(tx, 'subscription.activated', saved, now, { dedupe: period.id });
}
