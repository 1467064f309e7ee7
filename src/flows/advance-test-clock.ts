import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { invalid } from '../kernel/errors.ts';
import { findFirstDueOfMerchant } from '../store/subscriptions.ts';
import { lockTestClock, putTestClockAhead, shortenTestInvoices } from '../store/test-clocks.ts';
import { lockSubscription } from './lock-subscription.ts';
import type { Parts } from './parts.ts';
import { stepSubscription } from './step-subscription.ts';
import { readCalendar, type SubscriptionCalendar } from './subscription-calendar.ts';

/** A leap year and a little. */
export const longestAdvanceSeconds = 400 * 86_400;
/** Steps of subscriptions that one call may lead to: it is one transaction. */
const mostSteps = 2000;

/**
 * Moves a merchant's test data forward. Time does not jump: it stops wherever a subscription has something to do, so a
 * quarter brings three renewals, each at its own moment. Open invoices lose the same time, as if it had passed.
 * @throws {AppError} 422 when so much would happen that it is better asked for in pieces.
 */
export async function advanceTestClock(
  tx: Handle,
  parts: Parts,
  merchantId: string,
  seconds: number,
  now: Date,
): Promise<SubscriptionCalendar> {
  const scope = { merchantId, livemode: false };
  let offset = await lockTestClock(tx, merchantId, now);
  let left = seconds;
  for (let steps = 0; ; steps++) {
    const due = await findFirstDueOfMerchant(tx, merchantId, addSeconds(now, left));
    const until = due ? Math.max(0, Math.ceil((due.look_at.getTime() - now.getTime()) / 1000)) : left;
    if (until > 0) await putTestClockAhead(tx, merchantId, offset, until, now);
    offset += until;
    left -= until;
    if (!due) break;
    if (steps === mostSteps) {
      throw invalid(`seconds reaches over more than ${mostSteps} steps of subscriptions; advance in smaller pieces`);
    }
    await stepSubscription(tx, parts, await lockSubscription(tx, due), await readCalendar(tx, scope, now));
  }
  await shortenTestInvoices(tx, merchantId, seconds, now);
  return readCalendar(tx, scope, now);
}
