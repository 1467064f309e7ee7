/**
 * Every kind of event that webhooks can subscribe to (decisions, section 6), from the start: a kind whose work has not
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
