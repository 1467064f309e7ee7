import { type Static, Type } from 'typebox';
import { livemode, metadata, nullable, objectName, timestamp, uuid } from './fields.ts';

export interface WebhookRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  url: string;
  description: string | null;
  events: string[];
  active: boolean;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  success_count: number;
  failure_count: number;
  recent_outcomes: string;
  last_triggered_at: Date | null;
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

const fields = {
  object: objectName('webhook'),
  livemode,
  id: uuid('Webhook'),
  url: Type.String({ description: 'Where events are sent' }),
  description: nullable(Type.String()),
  events: Type.Array(Type.String(), { description: 'Kinds of events it gets; `*` is all of them' }),
  active: Type.Boolean({ description: 'false: nothing is sent and nothing new is queued' }),
  success_count: Type.Integer({ description: 'Attempts that were answered with 2xx' }),
  failure_count: Type.Integer({ description: 'Attempts that were not' }),
  last_triggered_at: nullable(timestamp('Last attempt')),
  health_percentage: Type.Integer({ description: 'Successes among the last 100 attempts; 100 before the first' }),
  metadata,
  created_at: timestamp('When the endpoint was added'),
  updated_at: timestamp('When the endpoint was last changed'),
};

export const webhookSchema = Type.Object(fields, { description: 'An endpoint that is told of events' });
export type Webhook = Static<typeof webhookSchema>;

const secretKey = Type.String({ description: 'Signs every delivery, `whsec_…`. Shown here and never again' });

export const newWebhookSchema = Type.Object({ ...fields, secret_key: secretKey });

export const rotatedWebhookSchema = Type.Object({
  ...fields,
  secret_key: secretKey,
  previous_secret_expires_at: nullable(timestamp('Until when the old secret signs as well; null: no longer')),
});

/** Successes among the outcomes kept, in whole percent. */
function healthPercentage(recentOutcomes: string): number {
  if (recentOutcomes === '') return 100;
  const successes = recentOutcomes.replaceAll('0', '').length;
  return Math.round((100 * successes) / recentOutcomes.length);
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    object: 'webhook',
    livemode: row.livemode,
    id: row.id,
    url: row.url,
    description: row.description,
    events: row.events,
    active: row.active,
    success_count: row.success_count,
    failure_count: row.failure_count,
    last_triggered_at: row.last_triggered_at?.toISOString() ?? null,
    health_percentage: healthPercentage(row.recent_outcomes),
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
