import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import { periodNumberAt, periodStart } from '../model/billing-calendar.ts';
import { scopeOf } from '../model/scope.ts';
import { calendarOf, type PeriodRow, type SubscriptionRow } from '../model/subscription.ts';
import { priceCharge } from '../model/subscription-charge.ts';
import { insertPeriod } from '../store/subscriptions.ts';
import { toOrderPaidAtOnce } from './confirm-at-once.ts';
import { draftOrder, writeNewOrder } from './new-order.ts';
import type { Parts } from './parts.ts';
import { queueSubscriptionMail } from './queue-subscription-mail.ts';
import { type SubscriptionCalendar, saveSubscription } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';
import { takeNothing } from './take-nothing.ts';

/**
 * Bills the period that runs today: an ordinary order, a row that ties it to the period, and the dates of the next one,
 * in the transaction that holds the subscription's lock. The row is unique by subscription and number, so a period is
 * billed once whatever happens around this.
 *
 * Periods that are over are not billed. They are missed when the service was down, when the one before was not paid, or
 * during a pause; asking for all of them at once afterwards would be a burst of charges that nobody expects.
 */
export async function billPeriod(
  tx: Handle,
  parts: Parts,
  before: SubscriptionRow,
  calendar: SubscriptionCalendar,
): Promise<SubscriptionRow> {
  const { now, today } = calendar;
  const dates = calendarOf(before);
  const number = periodNumberAt(dates, today);
  const startsAt = periodStart(dates, number);
  const endsAt = periodStart(dates, number + 1);
  const isFirst = before.current_period_start === null;
  const charge = priceCharge(before);
  const origin = {
    scope: scopeOf(before),
    source: 'subscription' as const,
    apiKeyId: null,
    now,
  };
  const order = await draftOrder(
    tx,
    parts.rates,
    {
      totalAmountCents: charge.totalCents,
      taxAmountCents: charge.taxCents,
      discountAmountCents: charge.discountCents,
      currency: before.currency,
      items: charge.items,
      pricing: charge.pricing,
      quoteLater: true,
      customerEmail: before.customer_email,
      customerName: before.customer_name,
      metadata: before.metadata,
    },
    origin,
  );
  const period: PeriodRow = {
    id: newId(),
    subscription_id: before.id,
    number,
    starts_at: startsAt,
    ends_at: endsAt,
    order_id: order.id,
    // Late billing, after a downtime, leaves the customer the same days as always.
    due_at: today,
    settled: false,
  };
  // Nothing to pay needs no invoice; the order is complete at once.
  const isFree = order.total_amount_cents === 0;
  const committed = isFree ? toOrderPaidAtOnce(order, 'lightning', now) : order;
  await writeNewOrder(tx, order, committed);
  await insertPeriod(tx, period);
  const billed = await saveSubscription(
    tx,
    {
      ...before,
      status: 'active',
      next_billing_at: endsAt,
      current_period_start: startsAt,
      current_period_end: endsAt,
    },
    period,
    calendar,
  );
  const about = isFirst ? {} : { dedupe: period.id, period, order: committed };
  await recordSubscriptionEvent(tx, isFirst ? 'subscription.activated' : 'subscription.renewed', billed, now, about);
  if (isFree) await takeNothing(tx, order, now);
  else await queueSubscriptionMail(tx, parts, 'charged', billed, now, order);
  return billed;
}
