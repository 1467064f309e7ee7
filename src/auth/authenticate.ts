import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { type ApiKeyMatch, findApiKeyByHash } from '../store/api-keys.ts';
import { hashApiKey, looksLikeApiKey } from './api-key.ts';
import { isInRanges } from './ip-ranges.ts';

/**
 * How long a key that was found is trusted without asking again. A revocation counts everywhere within 2 s; the age is measured from before the query was sent, so 1 s leaves room.
 */
const trustMillis = 1000;
const mostRemembered = 10_000;

export interface Authenticator {
  /**
   * The caller behind an `Authorization` header; undefined when there is none.
   * @param address the peer's address, for keys bound to address ranges.
   * @throws {AppError} 401 for anything but a valid key, 403 from a foreign address.
   */
  authenticate(header: string | undefined, address: string): Promise<Caller | undefined>;
  /** Forgets what was found, so that a change made by this process counts at once. */
  forget(): void;
}

export function createAuthenticator(db: Database, clock: Clock): Authenticator {
  const found = new Map<string, { match: Promise<ApiKeyMatch | undefined>; at: number }>();

  function lookUp(key: string): Promise<ApiKeyMatch | undefined> {
    const at = performance.now();
    const known = found.get(key);
    if (known && at - known.at < trustMillis) return known.match;
    if (found.size >= mostRemembered) found.clear();
    const match = findApiKeyByHash(db, hashApiKey(key), clock.now());
    found.set(key, { match, at });
    match.then(
      // Only keys that exist are remembered: strangers' guesses must not fill the memory.
      (row) => row === undefined && found.delete(key),
      () => found.delete(key),
    );
    return match;
  }

  async function authenticate(header: string | undefined, address: string): Promise<Caller | undefined> {
    if (header === undefined || header === '') return undefined;
    // RFC 9110: the scheme is case-insensitive, and one or more spaces follow it.
    const key = /^bearer +(\S+) *$/i.exec(header)?.[1];
    if (key === undefined) {
      throw new AppError('missing_token', 'The header must read "Authorization: Bearer <key>"');
    }
    const match = looksLikeApiKey(key) ? await lookUp(key) : undefined;
    if (!match) throw new AppError('invalid_token', 'This API key is not known');
    if (match.revoked) throw new AppError('revoked_token', 'This API key has been revoked');
    if (match.ip_ranges && !isInRanges(address, match.ip_ranges)) {
      throw new AppError('forbidden', 'This API key may not be used from this address');
    }
    return {
      kind: match.kind,
      credentialId: match.id,
      merchantId: match.merchant_id,
      livemode: match.livemode,
      permissions: match.permissions ?? 'full',
      ...limitsOf(match),
      merchantStatus: match.merchant_status,
      limits: {
        perMinute: Math.min(match.per_minute, match.rpm_limit ?? match.per_minute),
        perHour: match.per_hour,
        deliveriesPerOrderPerHour: match.deliveries_per_hour,
      },
    };
  }

  return { authenticate, forget: () => found.clear() };
}

/** What keys that are meant for agents are held to. */
function limitsOf({ allowed_tools: allowedTools, max_order_cents: maxOrderCents, max_daily_cents }: ApiKeyMatch) {
  const isLimited = maxOrderCents !== null || max_daily_cents !== null;
  return {
    ...(allowedTools === null ? {} : { allowedTools }),
    ...(isLimited ? { allowance: { maxOrderCents, maxDailyCents: max_daily_cents } } : {}),
  };
}
