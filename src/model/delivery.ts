import { type Static, Type } from 'typebox';
import { livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';

/** One event on its way to one endpoint; its life is drawn in migration 0002. */
export const deliveryStates = ['waiting', 'sending', 'delivered', 'failed'] as const;
type DeliveryState = (typeof deliveryStates)[number];

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  livemode: boolean;
  event_id: string;
  kind: string;
  state: DeliveryState;
  tries: number;
  attempts: number;
  next_try_at: Date | null;
  last_attempt_at: Date | null;
  response_status: number | null;
  response_excerpt: string | null;
  error: string | null;
  duration_ms: number | null;
  delivered_at: Date | null;
  created_at: Date;
}

export const deliverySchema = Type.Object(
  {
    object: objectName('webhook_delivery'),
    livemode,
    id: uuid('Delivery'),
    webhook_id: uuid('Webhook'),
    event_id: Type.String({ description: 'Event, `evt_…`; the same on every attempt' }),
    event: Type.String({ description: 'Kind of the event' }),
    status: oneOf(deliveryStates, 'waiting for its next attempt, being sent, delivered, or failed for good'),
    attempts: Type.Integer({ description: 'Attempts so far' }),
    next_attempt_at: nullable(timestamp('When it is tried next; null once it is over')),
    last_attempt_at: nullable(timestamp('When it was last tried')),
    response_status: nullable(Type.Integer({ description: 'HTTP status of the last answer' })),
    response_excerpt: nullable(
      Type.String({ description: 'How the last answer began; null when it came from a private address' }),
    ),
    error: nullable(Type.String({ description: 'Why the last attempt failed' })),
    duration_ms: nullable(Type.Integer({ description: 'How long the last attempt took, in milliseconds' })),
    delivered_at: nullable(timestamp('When it was answered with 2xx')),
    created_at: timestamp('When it was queued'),
  },
  { description: 'An event on its way to an endpoint' },
);
export type Delivery = Static<typeof deliverySchema>;

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    object: 'webhook_delivery',
    livemode: row.livemode,
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event: row.kind,
    status: row.state,
    attempts: row.attempts,
    next_attempt_at: row.next_try_at?.toISOString() ?? null,
    last_attempt_at: row.last_attempt_at?.toISOString() ?? null,
    response_status: row.response_status,
    response_excerpt: row.response_excerpt,
    error: row.error,
    duration_ms: row.duration_ms,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
