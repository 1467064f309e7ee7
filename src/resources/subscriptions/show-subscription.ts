import { customerUrl } from '../../flows/customer-url.ts';
import { notFound } from '../../kernel/errors.ts';
import { type SubscriptionRow, toSubscription } from '../../model/subscription.ts';
import type { Call } from '../../operation/operation.ts';
import { findSubscription } from '../../store/subscriptions.ts';

/** The answer of every operation about one subscription. */
export function showSubscription(call: Call, row: SubscriptionRow) {
  return { ...toSubscription(row), customer_url: customerUrl(call.parts, row) };
}

/** @throws {AppError} 404. */
export async function requireSubscription(call: Call, id: string): Promise<SubscriptionRow> {
  const row = await findSubscription(call.db, call.scope, id);
  if (!row) throw notFound('Subscription');
  return row;
}
