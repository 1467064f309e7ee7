import { addSeconds, later } from '../kernel/clock.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { scopeOf } from '../model/scope.ts';
import { graceSeconds } from '../model/subscription.ts';
import { findMerchant, lockMerchant, setMerchantStatus } from '../store/merchants.ts';
import { type DueSubscription, listOwingSubscriptions, movePeriodDue } from '../store/subscriptions.ts';
import { lockSubscription } from './lock-subscription.ts';
import type { Parts } from './parts.ts';
import { recordOperatorAudit } from './record-audit.ts';
import { readCalendar, saveSubscription } from './subscription-calendar.ts';

type Status = MerchantRow['status'];

const actions = { active: 'activate_merchant', suspended: 'suspend_merchant' } as const;
const batchSize = 100;
const lowestId = '00000000-0000-0000-0000-000000000000';

/** The operator lets a merchant use the API, or stops it. @returns what it was before. */
export async function changeMerchantStatus(
  parts: Parts,
  merchantId: string,
  status: keyof typeof actions,
): Promise<Status> {
  // While it is still stopped, so that the billing job finds nothing that fell due when nobody could pay.
  if (status === 'active') await postponeCharges(parts, merchantId);
  return parts.db.transaction(async (tx) => {
    const { status: before } = (await lockMerchant(tx, merchantId))!;
    if (before === status) return before;
    const now = parts.clock.now();
    await setMerchantStatus(tx, merchantId, status, now);
    await recordOperatorAudit(tx, { merchantId, action: actions[status], subjectId: merchantId, now });
    return before;
  });
}

/** What is unpaid falls due anew, one subscription at a time; nothing to do for a merchant that is active. */
async function postponeCharges(parts: Parts, merchantId: string): Promise<void> {
  if ((await findMerchant(parts.db, merchantId))?.status !== 'suspended') return;
  let afterId = lowestId;
  for (;;) {
    const owing = await listOwingSubscriptions(parts.db, merchantId, afterId, batchSize);
    for (const seen of owing) await postponeCharge(parts, seen);
    if (owing.length < batchSize) return;
    afterId = owing.at(-1)!.id;
  }
}

/** As many days as an order has that was made today; one that was late already has those until the end. */
async function postponeCharge(parts: Parts, seen: DueSubscription): Promise<void> {
  await parts.db.transaction(async (tx) => {
    const { subscription, unsettled } = await lockSubscription(tx, seen);
    if (!unsettled || !['active', 'past_due'].includes(subscription.status)) return;
    const calendar = await readCalendar(tx, scopeOf(seen), parts.clock.now());
    const isLate = subscription.status === 'past_due';
    const from = isLate ? addSeconds(calendar.today, -graceSeconds) : calendar.today;
    const period = { ...unsettled, due_at: later(unsettled.due_at, from) };
    await movePeriodDue(tx, period.id, period.due_at);
    await saveSubscription(tx, subscription, period, calendar);
  });
}
