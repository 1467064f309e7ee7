import type { SubscriptionRow } from '../model/subscription.ts';
import type { Parts } from './parts.ts';

/** Where a customer's link is sealed for. */
export function linkPlace(subscriptionId: string) {
  return { table: 'subscriptions', column: 'link_sealed', row: subscriptionId };
}

/** The customer's page, at the address that payers know. */
export function customerUrl(parts: Pick<Parts, 'sealer' | 'links'>, row: SubscriptionRow): string {
  return `${parts.links.payUrl}/subscriptions/${parts.sealer.open(row.link_sealed, linkPlace(row.id)).toString()}`;
}
