import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Access tokens in the form that clients of the interface read: `base64(JSON)--hex(HMAC-SHA256)`, the message of a Rails
 * verifier. The signature is checked over the text as it came, before anything in it is read.
 */
type AccessClaims =
  /** v2: what an order opens. */
  | { readonly orderId: string; readonly productId: string; readonly expiresAt: Date }
  /** v1, from before tokens named products; made by the command line. */
  | { readonly resourceId: string; readonly resourceType: string; readonly expiresAt: Date };

const purpose = 'access_token';
const longest = 4096;

/** @param key 32 random bytes of the merchant and mode. */
export function signAccessToken(claims: AccessClaims, key: Buffer): string {
  const { expiresAt } = claims;
  const exp = Math.floor(expiresAt.getTime() / 1000);
  const data =
    'orderId' in claims
      ? { order_id: claims.orderId, product_id: claims.productId, exp }
      : { resource_id: claims.resourceId, resource_type: claims.resourceType, exp };
  const message = { _rails: { data, exp: expiresAt.toISOString(), pur: purpose } };
  const text = Buffer.from(JSON.stringify(message)).toString('base64');
  return `${text}--${signatureOf(text, key)}`;
}

/** @returns what the token claims; undefined for one that was tampered with, is for something else, or is over. */
export function readAccessToken(token: string, key: Buffer, now: Date): AccessClaims | undefined {
  const match = token.length <= longest ? /^([A-Za-z0-9+/]+={0,2})--([0-9a-f]{64})$/.exec(token) : null;
  if (!match) return undefined;
  const [, text, signature] = match as unknown as [string, string, string];
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(text, key)))) return undefined;
  const claims = readClaims(Buffer.from(text, 'base64').toString('utf8'));
  return claims && claims.expiresAt > now ? claims : undefined;
}

function signatureOf(text: string, key: Buffer): string {
  return createHmac('sha256', key).update(text).digest('hex');
}

// Signed by us, so only its kind can be unexpected: a token of another purpose, or of a later version.
function readClaims(json: string): AccessClaims | undefined {
  let message: { _rails?: { data?: Record<string, unknown>; exp?: unknown; pur?: unknown } } | null;
  try {
    message = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { data, exp, pur } = message?._rails ?? {};
  const expiresAt = new Date(String(exp));
  if (pur !== purpose || !data || Number.isNaN(expiresAt.getTime())) return undefined;
  const { order_id, product_id, resource_id, resource_type } = data;
  if (typeof order_id === 'string' && typeof product_id === 'string') {
    return { orderId: order_id, productId: product_id, expiresAt };
  }
  if (typeof resource_id === 'string' && typeof resource_type === 'string') {
    return { resourceId: resource_id, resourceType: resource_type, expiresAt };
  }
  return undefined;
}
