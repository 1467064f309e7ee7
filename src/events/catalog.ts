import { readFileSync } from 'node:fs';
import type { TSchema } from 'typebox';
import { invoiceSchema } from '../model/invoice.ts';
import { orderSchema } from '../model/order.ts';
import { paymentSchema } from '../model/payment.ts';

/**
 * Every kind of event that webhooks can subscribe to, from the start: a kind whose work has not
 * arrived yet can be named and simply does not fire.
 */
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

export interface EventDeclaration {
  /** When it fires; one sentence. */
  readonly summary: string;
  /** Shape of `data`; undefined while nothing fires this kind. */
  readonly data: TSchema | undefined;
}

const later = (summary: string): EventDeclaration => ({ summary, data: undefined });

/** What each kind says. A body is `{id, event, created_at, livemode, data}`. */
export const eventCatalog: Readonly<Record<EventKind, EventDeclaration>> = {
  'order.created': { summary: 'An order was made.', data: orderSchema },
  'order.updated': { summary: 'A change of an order was accepted.', data: orderSchema },
  'order.paid': { summary: 'Nothing is due any more: the order is paid.', data: orderSchema },
  'order.cancelled': { summary: 'A pending order was cancelled by the merchant.', data: orderSchema },
  'order.refunded': later('A refund of an order was entered.'),
  'order.attention': {
    summary: 'A person should look at the order: paid late, overpaid, or paid after it was cancelled.',
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
  'checkout.completed': later('A checkout session was paid.'),
  'checkout.expired': later('A checkout session ended unpaid.'),
  'product.key_rotated': later('The key of a product was replaced; the old one is still kept.'),
  'media_key.rotated': later('A media key was replaced; the old one is still kept.'),
  'media_key.old_key_cleared': later('The old key of a media key was dropped.'),
  'subscription.created': later('A customer was invited to a subscription.'),
  'subscription.activated': later('A subscription became active.'),
  'subscription.trial_will_end': later('A trial ends in three days.'),
  'subscription.renewed': later('A new period of a subscription began.'),
  'subscription.past_due': later('A period of a subscription was not paid in time.'),
  'subscription.paused': later('A subscription was paused.'),
  'subscription.resumed': later('A paused subscription goes on.'),
  'subscription.cancelled': later('A subscription ended.'),
};

export interface EventBody {
  readonly id: string;
  readonly event: string;
  readonly created_at: string;
  readonly livemode: boolean;
  readonly data?: unknown;
}

let examples: Partial<Record<EventKind, EventBody>> | undefined;

/**
 * A body of this kind as it really went out, recorded by test/events/examples.test.ts; undefined for kinds that do not
 * fire yet. For the documentation and for test events.
 */
export function eventExample(kind: EventKind): EventBody | undefined {
  examples ??= JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as typeof examples;
  return examples![kind];
}
