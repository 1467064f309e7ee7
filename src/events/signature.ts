import { createHmac, randomBytes } from 'node:crypto';

const secretPrefix = 'whsec_';
const secretBytes = 32;

/** `whsec_` and the base64 of 32 random bytes (Standard Webhooks asks for 24 to 64). */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

export interface SigningSecrets {
  readonly current: string;
  /** Until a day after a rotation. */
  readonly previous: string | undefined;
}

/**
 * The headers that prove a delivery, made anew for each attempt. Two schemes over the same bytes:
 *
 * - `X-Service-Signature: sha256=<hex>`, keyed with the whole `whsec_…` text, prefix included.
 * - Standard Webhooks: `webhook-signature: v1,<base64>` over `id.timestamp.body`, keyed with the bytes behind `whsec_`.
 *
 * After a rotation Standard Webhooks carries both signatures in its header. The other header holds one value and is read
 * by receivers that know of one, so it is signed with the new secret; the old secret's goes into a header of its own.
 */
export function signatureHeaders(
  body: Buffer,
  eventId: string,
  secrets: SigningSecrets,
  sentAt: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const { current, previous } = secrets;
  const all = previous === undefined ? [current] : [current, previous];
  return {
    'x-service-signature': serviceSignature(body, current),
    ...(previous === undefined ? {} : { 'x-service-signature-previous': serviceSignature(body, previous) }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': all.map((secret) => standardSignature(body, eventId, timestamp, secret)).join(' '),
  };
}

function serviceSignature(body: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

function standardSignature(body: Buffer, eventId: string, timestamp: string, secret: string): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest('base64')}`;
}
