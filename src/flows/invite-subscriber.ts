import type { Handle } from '../db/database.ts';
import { newId, randomBase62 } from '../kernel/ids.ts';
import { sha256Hex } from '../kernel/secrets.ts';
import { scopeOf } from '../model/scope.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import type { SubscriptionRow } from '../model/subscription.ts';
import { ensureCustomer } from '../store/customers.ts';
import { insertSubscription } from '../store/subscriptions.ts';
import type { Parts } from './parts.ts';
import { queueSubscriptionMail } from './queue-subscription-mail.ts';
import { readCalendar } from './subscription-calendar.ts';
import { recordSubscriptionEvent } from './subscription-events.ts';

/** What was checked of an invitation. */
export type SubscriptionInvitation = Pick<
  SubscriptionRow,
  | 'merchant_id'
  | 'livemode'
  | 'customer_email'
  | 'customer_name'
  | 'product_id'
  | 'name'
  | 'amount_cents'
  | 'first_charge_cents'
  | 'currency'
  | 'interval_unit'
  | 'interval_count'
  | 'time_zone'
  | 'starts_on'
  | 'trial_days'
  | 'bitcoin_discount_percent'
  | 'rail'
  | 'metadata'
  | 'agreed_taxes'
>;

/** 131 random bits: whoever has the link may accept, pay and cancel. */
const linkLength = 22;

/** Invites a customer. Name and price are kept with the subscription: a product that changes or goes changes nothing. */
export async function inviteSubscriber(
  tx: Handle,
  parts: Parts,
  invitation: SubscriptionInvitation,
  now: Date,
): Promise<SubscriptionRow> {
  const scope = scopeOf(invitation);
  const { today } = await readCalendar(tx, scope, now);
  const id = newId();
  const link = `sub_${randomBase62(linkLength)}`;
  const subscription: SubscriptionRow = {
    id,
    ...invitation,
    status: 'invited',
    link_hash: sha256Hex(link),
    link_sealed: parts.sealer.seal(link, sealedPlace('subscriptions.link_sealed', id)),
    customer_id: await ensureCustomer(tx, scope, invitation.customer_email, now),
    trial_ends_at: null,
    anchor_at: null,
    next_billing_at: null,
    current_period_start: null,
    current_period_end: null,
    cancel_at_period_end: false,
    trial_end_told: false,
    look_at: null,
    invited_at: today,
    accepted_at: null,
    paused_at: null,
    cancelled_at: null,
    created_at: today,
    updated_at: today,
  };
  await insertSubscription(tx, subscription);
  await recordSubscriptionEvent(tx, 'subscription.created', subscription, now);
  await queueSubscriptionMail(tx, parts, 'invited', subscription, now);
  return subscription;
}
