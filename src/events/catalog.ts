import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { checkoutCompletedSchema, checkoutSessionSchema } from '../model/checkout-session.ts';
import { invoiceSchema } from '../model/invoice.ts';
import { mediaKeySchema } from '../model/media-key.ts';
import { orderSchema } from '../model/order.ts';
import { paymentSchema } from '../model/payment.ts';
import { subscriptionEventSchema, subscriptionWithPeriodSchema } from '../model/subscription.ts';

/** Every kind of event that webhooks can subscribe to. */
export const eventKinds = [
  'order.created',
  'order.updated',
  'order.paid',
  'order.cancelled',
  'order.refunded',
  'order.attention',
  'invoice.created',
  'invoice.paid',
  'invoice.expired',
  'payment.received',
  'payment.confirmed',
  'checkout.completed',
  'checkout.expired',
  'product.key_rotated',
  'media_key.rotated',
  'media_key.old_key_cleared',
  'subscription.created',
  'subscription.activated',
  'subscription.trial_will_end',
  'subscription.renewed',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
] as const;

export type EventKind = (typeof eventKinds)[number];

interface EventDeclaration {
  /** When it fires; one sentence. */
  readonly summary: string;
  /** Shape of `data`. */
  readonly data: TSchema;
  /** The members of `data` stand beside `id` and `event` instead of in `data`: the interface's form of this kind. */
  readonly isFlat?: true;
}

/** What each kind says. A body is `{id, event, created_at, livemode, data}`. */
export const eventCatalog: Readonly<Record<EventKind, EventDeclaration>> = {
  'order.created': { summary: 'An order was made.', data: orderSchema },
  'order.updated': { summary: 'A change of an order was accepted.', data: orderSchema },
  'order.paid': { summary: 'Nothing is due any more: the order is paid.', data: orderSchema },
  'order.cancelled': {
    summary: 'A pending order was cancelled: by the merchant, or with its checkout or subscription.',
    data: orderSchema,
  },
  'order.refunded': { summary: 'A refund of an order was written down, in part or in full.', data: orderSchema },
  'order.attention': {
    summary:
      'A person should look at the order: paid late, overpaid, cancelled with a part paid, or paid after it was cancelled.',
    data: orderSchema,
  },
  'invoice.created': { summary: 'A wallet made a Lightning invoice for an order.', data: invoiceSchema },
  'invoice.paid': { summary: 'The wallet says that the invoice is paid, perhaps late.', data: invoiceSchema },
  'invoice.expired': {
    summary: 'Its time is over and a look at the wallet after that found it unpaid.',
    data: invoiceSchema,
  },
  'payment.received': { summary: 'Lightning money arrived; recorded with `payment.confirmed`.', data: paymentSchema },
  'payment.confirmed': { summary: 'Money counts as received: a settled invoice, or cash.', data: paymentSchema },
  'checkout.completed': { summary: 'A checkout session was paid.', data: checkoutCompletedSchema, isFlat: true },
  'checkout.expired': { summary: 'A checkout session ended unpaid.', data: checkoutSessionSchema },
  'product.key_rotated': {
    summary: 'The key of a product was replaced; the old one is still kept. `data` is the media key.',
    data: mediaKeySchema,
  },
  'media_key.rotated': { summary: 'A media key was replaced; the old one is still kept.', data: mediaKeySchema },
  'media_key.old_key_cleared': { summary: 'The old key of a media key was dropped.', data: mediaKeySchema },
  'subscription.created': { summary: 'A customer was invited to a subscription.', data: subscriptionEventSchema },
  'subscription.activated': {
    summary: 'A subscription became active: its first charge was made, or it was paid after it was past due.',
    data: subscriptionEventSchema,
  },
  'subscription.trial_will_end': { summary: 'A trial ends in three days or less.', data: subscriptionEventSchema },
  'subscription.renewed': {
    summary: 'A further period of a subscription began, and its order was made.',
    data: subscriptionWithPeriodSchema,
  },
  'subscription.past_due': {
    summary: 'The order of a period is unpaid three days after it was due.',
    data: subscriptionWithPeriodSchema,
  },
  'subscription.paused': { summary: 'A subscription was paused.', data: subscriptionEventSchema },
  'subscription.resumed': { summary: 'A paused subscription goes on.', data: subscriptionEventSchema },
  'subscription.cancelled': { summary: 'A subscription ended.', data: subscriptionEventSchema },
};

export interface EventBody {
  readonly id: string;
  readonly event: string;
  readonly created_at: string;
  readonly livemode: boolean;
  readonly data?: unknown;
}

let examples: Record<EventKind, EventBody> | undefined;

/** A body of this kind as it really went out, recorded by test/events/examples.test.ts. For docs and for test events. */
export function eventExample(kind: EventKind): EventBody {
  examples ??= JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as typeof examples;
  return examples![kind];
}
