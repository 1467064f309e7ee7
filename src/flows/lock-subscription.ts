import type { Handle } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import type { PeriodRow, SubscriptionRow } from '../model/subscription.ts';
import { lockOrder } from '../store/orders.ts';
import { claimDueSubscription, findUnsettledPeriod, lockSubscriptionRow } from '../store/subscriptions.ts';

export interface LockedSubscription {
  readonly subscription: SubscriptionRow;
  /** The period that is still to be paid, with its order; both locked. */
  readonly unsettled: PeriodRow | undefined;
  readonly order: OrderRow | undefined;
}

type Seen = Pick<SubscriptionRow, 'id' | 'merchant_id' | 'livemode'>;

/**
 * Locks a subscription for this transaction, its unpaid order first as the lock order wants it (flows/README.md).
 * @throws {AppError} 409 when a period was billed at this very moment: its order would have to be locked before.
 */
export async function lockSubscription(tx: Handle, seen: Seen): Promise<LockedSubscription> {
  const locked = await lockInOrder(tx, seen, () => lockSubscriptionRow(tx, seen.id));
  if (!locked) throw new Error(`Subscription ${seen.id} is gone`);
  return locked;
}

/** The same for the billing job: undefined when somebody else has the subscription, or when it is not due any more. */
export function claimSubscription(tx: Handle, seen: Seen, now: Date): Promise<LockedSubscription | undefined> {
  return lockInOrder(tx, seen, () => claimDueSubscription(tx, seen.id, now));
}

async function lockInOrder(
  tx: Handle,
  seen: Seen,
  lockRow: () => Promise<SubscriptionRow | undefined>,
): Promise<LockedSubscription | undefined> {
  const before = await findUnsettledPeriod(tx, seen.id);
  const scope = scopeOf(seen);
  const order = before && (await lockOrder(tx, scope, before.order_id));
  const subscription = await lockRow();
  if (!subscription) return undefined;
  const unsettled = await findUnsettledPeriod(tx, seen.id);
  if (unsettled && unsettled.id !== before?.id) {
    throw new AppError('conflict', 'The subscription is being charged at this very moment; send the call again', {
      retryAfterSeconds: 1,
    });
  }
  return { subscription, unsettled, order: unsettled && order };
}
