import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { permissionsOfScope, readScopes } from '../model/oauth-connection.ts';
import { type ApiKeyMatch, findApiKeyByHash } from '../store/api-keys.ts';
import { type AccessTokenMatch, findConnectionByToken } from '../store/oauth-connections.ts';
import { looksLikeApiKey } from './api-key.ts';
import { hashToken } from './hash-token.ts';
import { isInRanges } from './ip-ranges.ts';
import { hashArtifactId } from './oauth-adapter.ts';
import { rememberFound } from './recently-found.ts';

/**
 * How long a credential that was found is trusted without asking again. A revocation counts everywhere within 2 s; the
 * age is measured from before the query was sent, so 1 s leaves room.
 */
const trustMillis = 1000;

export interface Authenticator {
  /**
   * The caller behind an `Authorization` header; undefined when there is none. Told at once, without a promise, where the
   * credential was found a moment ago.
   * @param address the peer's address, for keys bound to address ranges.
   * @throws {AppError} 401 for anything but a valid key or access token, 403 from a foreign address.
   */
  authenticate(header: string | undefined, address: string): Caller | undefined | Promise<Caller>;
  /** Forgets what was found, so that a change made by this process counts at once. */
  forget(): void;
}

/** @param resource the audience that access tokens must have been made for (RFC 8707). */
export function createAuthenticator(db: Database, clock: Clock, resource: () => string): Authenticator {
  async function ask(credential: string): Promise<Known> {
    if (looksLikeAccessToken(credential)) {
      const token = await findConnectionByToken(db, hashArtifactId(credential), clock.now());
      if (!token) throw new AppError('invalid_token', 'This access token is not known');
      return knownToken(token, resource);
    }
    const key = looksLikeApiKey(credential)
      ? await findApiKeyByHash(db, hashToken(credential), clock.now())
      : undefined;
    if (!key) throw new AppError('invalid_token', 'This API key is not known');
    return knownKey(key);
  }
  const known = rememberFound(ask, trustMillis);

  function authenticate(header: string | undefined, address: string): Caller | undefined | Promise<Caller> {
    if (header === undefined || header === '') return undefined;
    const found = known.find(credentialOf(header));
    return found instanceof Promise ? found.then((callerFrom) => callerFrom(address)) : found(address);
  }

  return { authenticate, forget: known.forget };
}

function credentialOf(header: string): string {
  // As nearly everybody writes it; a pattern would cost more than the rest of a look.
  if (header.startsWith('Bearer ') && header.length > 7 && !header.includes(' ', 7)) return header.slice(7);
  // RFC 9110: the scheme is case-insensitive, and one or more spaces follow it.
  const credential = /^bearer +(\S+) *$/i.exec(header)?.[1];
  if (credential === undefined) {
    throw new AppError('missing_token', 'The header must read "Authorization: Bearer <key>"');
  }
  return credential;
}

/**
 * What was found of a credential: the caller it stands for when it is used from an address, made once.
 * @throws {AppError} 401, 403.
 */
type Known = (address: string) => Caller;

function knownKey(match: ApiKeyMatch): Known {
  const { revoked, ip_ranges: ipRanges } = match;
  const standing = standingOf(match);
  const perMinute = Math.min(match.per_minute, match.rpm_limit ?? match.per_minute);
  const caller: Caller = {
    ...standing,
    kind: match.kind,
    permissions: match.permissions ?? 'full',
    ...limitsOf(match),
    limits: { ...standing.limits, perMinute },
  };
  return (address) => {
    if (revoked) throw new AppError('revoked_token', 'This API key has been revoked');
    if (ipRanges && !isInRanges(address, ipRanges)) {
      throw new AppError('forbidden', 'This API key may not be used from this address');
    }
    return caller;
  };
}

function knownToken(match: AccessTokenMatch, resource: () => string): Known {
  const oauthScopes = readScopes(match.scope);
  const caller: Caller = {
    ...standingOf(match),
    kind: 'oauth',
    permissions: oauthScopes.flatMap((scope) => permissionsOfScope[scope]),
    oauthScopes,
  };
  return () => {
    if (match.revoked) throw new AppError('revoked_token', 'This connection has ended; connect the assistant again');
    if (match.expired) throw new AppError('invalid_token', 'This access token has expired');
    if (match.audience !== resource()) throw new AppError('invalid_token', 'This access token is for another service');
    return caller;
  };
}

/** What any credential tells of its merchant. */
function standingOf(match: ApiKeyMatch | AccessTokenMatch): Omit<Caller, 'kind' | 'permissions'> {
  return {
    credentialId: match.id,
    merchantId: match.merchant_id,
    livemode: match.livemode,
    merchantStatus: match.merchant_status,
    limits: {
      perMinute: match.per_minute,
      perHour: match.per_hour,
      deliveriesPerOrderPerHour: match.deliveries_per_hour,
    },
  };
}

/** The opaque tokens of our authorization server: 256 random bits in base64url. */
function looksLikeAccessToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text) && !looksLikeApiKey(text);
}

/** What a key is held to beside its permissions. */
function limitsOf(match: ApiKeyMatch) {
  const { allowed_tools: allowedTools, max_order_cents: maxOrderCents, max_daily_cents, ip_ranges, rpm_limit } = match;
  const isLimited = maxOrderCents !== null || max_daily_cents !== null;
  return {
    ...(allowedTools === null ? {} : { allowedTools }),
    ...(ip_ranges === null ? {} : { ipRanges: ip_ranges }),
    ...(rpm_limit === null ? {} : { rpmLimit: rpm_limit }),
    ...(match.products_only ? { productsOnly: true as const } : {}),
    ...(isLimited ? { allowance: { maxOrderCents, maxDailyCents: max_daily_cents } } : {}),
  };
}
