import { sealedPlace } from '../model/sealed-columns.ts';
import type { SubscriptionRow } from '../model/subscription.ts';
import type { Parts } from './parts.ts';

/** The customer's page, at the address that payers know. */
export function customerUrl(parts: Pick<Parts, 'sealer' | 'links'>, row: SubscriptionRow): string {
  return `${parts.links.payUrl}/subscriptions/${parts.sealer.open(row.link_sealed, sealedPlace('subscriptions.link_sealed', row.id)).toString()}`;
}
