import { inviteSubscriber } from '../../flows/invite-subscriber.ts';
import { takeAllowance } from '../../flows/key-allowance.ts';
import { AppError } from '../../kernel/errors.ts';
import { inputObject } from '../../model/fields.ts';
import { subscriptionSchema } from '../../model/subscription.ts';
import { priceCharge } from '../../model/subscription-charge.ts';
import { json, operation } from '../../operation/operation.ts';
import { findPlanFeatures } from '../../store/plans.ts';
import { invitationInput, readInvitation } from './invitation-input.ts';
import { showSubscription } from './show-subscription.ts';

export const createSubscription = operation({
  name: 'create_subscription',
  summary: 'Invite a customer to a subscription',
  description:
    'Give the customer `customer_url`: nothing starts and nothing is charged before they accept there. Each period is an ' +
    'ordinary order.',
  method: 'POST',
  path: '/api/v1/m/subscriptions',
  status: 201,
  access: { permission: 'orders:write' },
  body: inputObject({ subscription: invitationInput }),
  answer: json(subscriptionSchema),
  // For a key whose limits are in another currency.
  fails: ['not_found', 'rate_unavailable'],
  tool: false,
  idempotency: 'database',
  async run(call, { body }) {
    const { subscriptions } = await findPlanFeatures(call.db, call.scope.merchantId);
    // Those that run go on under any plan: what customers agreed to is not ended by a price list.
    if (subscriptions !== true) throw new AppError('forbidden', 'The plan of this merchant has no subscriptions');
    const invitation = await readInvitation(call, body.subscription);
    const subscription = await inviteSubscriber(call.db, call.parts, invitation, call.now);
    const first = priceCharge(subscription).totalCents;
    const later = priceCharge({ ...subscription, current_period_start: call.now }).totalCents;
    const asked = { amountCents: Math.max(first, later), currency: invitation.currency, addedCents: first };
    await takeAllowance(call, asked);
    return showSubscription(call, subscription);
  },
});
