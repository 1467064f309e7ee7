import { readSecret, serviceDigest, standardDigest } from './secret.ts';

/**
 * The headers that Satline would send with this body. For testing your own receiver; nothing else needs it.
 * @param options the event's id (by default that of the body) and the moment of signing (by default now).
 */
export function signWebhook(
  rawBody: string,
  secret: string,
  options: { id?: string; now?: Date } = {},
): Record<string, string> {
  const key = readSecret(secret);
  const body = Buffer.from(rawBody, 'utf8');
  const id = options.id ?? idOf(rawBody);
  const timestamp = String(Math.floor((options.now ?? new Date()).getTime() / 1000));
  return {
    'content-type': 'application/json; charset=utf-8',
    'x-service-signature': `sha256=${serviceDigest(body, key).toString('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standardDigest(body, id, timestamp, key).toString('base64')}`,
  };
}

function idOf(rawBody: string): string {
  try {
    const { id } = JSON.parse(rawBody) as { id?: unknown };
    return typeof id === 'string' ? id : 'evt_test';
  } catch {
    return 'evt_test';
  }
}
