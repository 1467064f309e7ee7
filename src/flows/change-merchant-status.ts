import { AppError } from '../kernel/errors.ts';
import { nilUuid } from '../kernel/ids.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { scopeOf } from '../model/scope.ts';
import { findMerchant, lockMerchant, setMerchantStatus } from '../store/merchants.ts';
import { type DueSubscription, listOwingSubscriptions } from '../store/subscriptions.ts';
import { lockSubscription } from './lock-subscription.ts';
import type { Parts } from './parts.ts';
import { postponeCharge } from './postpone-charge.ts';
import { recordOperatorAudit } from './record-audit.ts';
import { readCalendar } from './subscription-calendar.ts';

type Status = MerchantRow['status'];

const actions = { active: 'activate_merchant', suspended: 'suspend_merchant' } as const;
const batchSize = 100;

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
  let afterId = nilUuid;
  for (;;) {
    const owing = await listOwingSubscriptions(parts.db, merchantId, afterId, batchSize);
    for (const seen of owing) await postponeOne(parts, seen);
    if (owing.length < batchSize) return;
    afterId = owing.at(-1)!.id;
  }
}

async function postponeOne(parts: Parts, seen: DueSubscription): Promise<void> {
  for (;;) {
    try {
      return await parts.db.transaction(async (tx) => {
        const { subscription, unsettled } = await lockSubscription(tx, seen);
        if (!unsettled || !['active', 'past_due'].includes(subscription.status)) return;
        await postponeCharge(tx, subscription, unsettled, await readCalendar(tx, scopeOf(seen), parts.clock.now()));
      });
    } catch (error) {
      // A period was billed at that moment by a job that had begun before the suspension; now it is there to be seen.
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
  }
}
