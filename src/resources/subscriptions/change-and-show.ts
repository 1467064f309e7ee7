import { type SubscriptionRow, subscriptionSchema } from '../../model/subscription.ts';
import { type Call, json } from '../../operation/operation.ts';
import { requireSubscription, showSubscription } from './show-subscription.ts';

/** What the operations that change a subscription have in common. */
export const changeOfSubscription = {
  method: 'POST',
  access: { permission: 'orders:write' },
  params: { id: 'Subscription' },
  answer: json(subscriptionSchema),
  fails: ['not_found', 'conflict'],
  tool: false,
  idempotency: 'database',
} as const;

/** @param change is given the subscription as it was seen, unlocked. @throws {AppError} 404, and what `change` throws. */
export async function changeAndShow(
  call: Call,
  id: string,
  change: (seen: SubscriptionRow) => Promise<SubscriptionRow>,
) {
  const changed = await change(await requireSubscription(call, id));
  return showSubscription(call, changed);
}
