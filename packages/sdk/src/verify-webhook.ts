import { timingSafeEqual } from 'node:crypto';
import { readSecret, serviceDigest, standardDigest } from './secret.ts';
import { WebhookVerificationError } from './webhook-verification-error.ts';

/** `request.headers` of node:http, Express or Fastify, or a `Headers` object. Names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface WebhookEvent<Data = unknown> {
  /** The same on every attempt: drop what you have seen. */
  id: string;
  /** Kind of the event, such as `order.paid`. */
  event: string;
  created_at: string;
  livemode: boolean;
  data: Data;
  /** Only on examples that were sent to try the endpoint out. */
  test?: true;
}

export interface VerifyOptions {
  /** How old or how far in the future a signature may be; 300 unless said otherwise. */
  toleranceSeconds?: number;
  /** Refuse deliveries without a signed timestamp. Satline always sends one, so this is safe to set. */
  requireTimestamp?: boolean;
  /** For tests. */
  now?: () => Date;
}

const usualToleranceSeconds = 300;

/**
 * Checks that a delivery comes from Satline and is what was sent, and only then reads it.
 *
 * Two schemes are understood. Where the headers of Standard Webhooks are there, they decide, because they sign the time
 * as well: a copy of an old delivery is refused. Only where all of them are missing does `X-Service-Signature` count.
 *
 * @param rawBody the bytes as they arrived, before any parser. Text is taken as UTF-8.
 * @param secret the webhook's `secret_key`; during a rotation both, in any order.
 * @throws {WebhookVerificationError} and nothing else.
 */
export function verifyWebhook<Data = unknown>(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): WebhookEvent<Data> {
  const body = readBody(rawBody);
  const secrets = (Array.isArray(secret) ? secret : [secret]).map(readSecret);
  if (secrets.length === 0) throw new WebhookVerificationError('bad_secret', 'There is no secret to check with');
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const [id, timestamp, signature] = names.map((name) => readHeader(headers, name));
  if (id !== undefined || timestamp !== undefined || signature !== undefined) {
    if (id === undefined || timestamp === undefined || signature === undefined) {
      throw new WebhookVerificationError('missing_signature', `All of ${names.join(', ')} must be there`);
    }
    checkStandard(body, id, timestamp, signature, secrets, options);
  } else {
    checkService(body, readHeader(headers, 'x-service-signature'), secrets, options);
  }
  return parse(body);
}

function readBody(rawBody: unknown): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new WebhookVerificationError(
    'body_not_raw',
    'The body must be the text or bytes that arrived; a parsed object cannot be verified',
  );
}

/** @returns undefined when it is missing or empty. @throws when it came more than once. */
function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers !== 'object' || headers === null) {
    throw new WebhookVerificationError('missing_signature', 'There are no headers');
  }
  const found = typeof headers.get === 'function' ? [headers.get(name)] : valuesOf(headers, name);
  const values = found.flat().filter((value) => typeof value === 'string' && value !== '');
  if (values.length > 1) {
    throw new WebhookVerificationError('malformed_signature', `The header ${name} came more than once`);
  }
  return values[0] as string | undefined;
}

function valuesOf(headers: object, name: string): unknown[] {
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .map(([, value]) => value);
}

function checkStandard(
  body: Uint8Array,
  id: string,
  timestamp: string,
  signature: string,
  secrets: readonly string[],
  { toleranceSeconds = usualToleranceSeconds, now = () => new Date() }: VerifyOptions,
): void {
  // Several stand side by side while two secrets are valid; other versions than v1 are not ours to judge.
  const given = signature
    .split(' ')
    .map((one) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1])
    .filter((base64) => base64 !== undefined);
  if (given.length === 0 || !/^\d{1,12}$/.test(timestamp)) {
    throw new WebhookVerificationError('malformed_signature', 'The signature headers are not those of a webhook');
  }
  const expected = secrets.map((secret) => standardDigest(body, id, timestamp, secret));
  if (
    !isAnyEqual(
      given.map((base64) => Buffer.from(base64, 'base64')),
      expected,
    )
  )
    throw wrongSignature();
  const ageSeconds = now().getTime() / 1000 - Number(timestamp);
  if (Math.abs(ageSeconds) > toleranceSeconds) {
    throw new WebhookVerificationError(
      'outside_tolerance',
      `The delivery was signed ${Math.round(Math.abs(ageSeconds))} s ${ageSeconds > 0 ? 'ago' : 'in the future'}`,
    );
  }
}

function checkService(
  body: Uint8Array,
  signature: string | undefined,
  secrets: readonly string[],
  { requireTimestamp = false }: VerifyOptions,
): void {
  if (signature === undefined || requireTimestamp) {
    throw new WebhookVerificationError('missing_signature', 'The signature headers are missing');
  }
  // Hex digits count in either case.
  const hex = /^sha256=([0-9a-f]{64})$/i.exec(signature)?.[1];
  if (hex === undefined) {
    throw new WebhookVerificationError('malformed_signature', 'X-Service-Signature must be sha256= and 64 hex digits');
  }
  const expected = secrets.map((secret) => serviceDigest(body, secret));
  if (!isAnyEqual([Buffer.from(hex, 'hex')], expected)) throw wrongSignature();
}

/** Takes the same time wherever the bytes differ. */
function isAnyEqual(given: readonly Buffer[], expected: readonly Buffer[]): boolean {
  let found = false;
  for (const one of given) {
    for (const other of expected) {
      if (one.length === other.length && timingSafeEqual(one, other)) found = true;
    }
  }
  return found;
}

function wrongSignature(): WebhookVerificationError {
  return new WebhookVerificationError('wrong_signature', 'The signature does not belong to this body and secret');
}

function parse<Data>(body: Uint8Array): WebhookEvent<Data> {
  try {
    const event: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as WebhookEvent<Data>;
  } catch {
    // Below.
  }
  throw new WebhookVerificationError('body_not_json', 'The body is signed but is no JSON object');
}
