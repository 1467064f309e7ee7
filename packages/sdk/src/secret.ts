import { createHmac } from 'node:crypto';
import { WebhookVerificationError } from './webhook-verification-error.ts';

const prefix = 'whsec_';
const shape = /^whsec_[A-Za-z0-9+/]{22,}={0,2}$/;

/**
 * A secret as it was pasted: blanks and line breaks around it do not count, and the prefix may be missing.
 * @throws {WebhookVerificationError} `bad_secret`.
 */
export function readSecret(pasted: unknown): string {
  const trimmed = typeof pasted === 'string' ? pasted.trim() : '';
  const secret = trimmed.startsWith(prefix) ? trimmed : prefix + trimmed;
  if (!shape.test(secret)) {
    throw new WebhookVerificationError('bad_secret', 'The secret must be the secret_key of a webhook, whsec_…');
  }
  return secret;
}

/** `X-Service-Signature`: over the body alone, keyed with the whole text of the secret. */
export function serviceDigest(body: Uint8Array, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

/** Standard Webhooks: over id, timestamp and body, keyed with the bytes that stand in base64 behind the prefix. */
export function standardDigest(body: Uint8Array, id: string, timestamp: string, secret: string): Buffer {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
