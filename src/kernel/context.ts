import type { Logger } from './log.ts';

/** What a secret key may be narrowed to: a noun with `:read` or `:write`, or `media_keys:manage`. */
export const permissionNouns = [
  'orders',
  'payments',
  'catalog',
  'checkout',
  'webhooks',
  'wallets',
  'media_keys',
  'merchant',
] as const;

type PermissionNoun = (typeof permissionNouns)[number];
export type Permission = `${PermissionNoun}:${'read' | 'write'}` | 'media_keys:manage';

/** What an OAuth connection may be allowed to do: the words of its tokens' scope (RFC 6749, 3.3). */
export const oauthScopes = ['catalog', 'payment_links'] as const;
export type OauthScope = (typeof oauthScopes)[number];

/** The tenant and mode that a store function may see. Rows of anyone else do not exist for it. */
export interface Scope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Who is calling, after the credential has been checked. */
export interface Caller extends Scope {
  readonly kind: 'secret' | 'publishable' | 'oauth';
  /** Id of the API key or OAuth connection; idempotency keys and rate windows belong to it. */
  readonly credentialId: string;
  /** `full`, or the permissions the key was narrowed to. */
  readonly permissions: 'full' | readonly Permission[];
  /** The only operations that the key may call, by name; left out: all that its permissions allow. */
  readonly allowedTools?: readonly string[];
  /** The largest amounts that the key may ask for, in minor units of its merchant's currency; left out: any. */
  readonly allowance?: { readonly maxOrderCents: number | null; readonly maxDailyCents: number | null };
  /** The key makes checkouts of products alone, never of an amount; left out: of both. */
  readonly productsOnly?: true;
  /** The only addresses that the key may be used from; left out: any. */
  readonly ipRanges?: readonly string[];
  /** The key's own limit of requests a minute, beside the plan's; left out: none. */
  readonly rpmLimit?: number;
  /** What somebody allowed an OAuth connection to do; keys have none. */
  readonly oauthScopes?: readonly OauthScope[];
  readonly merchantStatus: 'pending' | 'active' | 'suspended';
  /** Requests the credential may make, by its merchant's plan and its own limit. */
  readonly limits: {
    readonly perMinute: number;
    readonly perHour: number | null;
    /** How often the key of one order's content may be handed out in an hour. */
    readonly deliveriesPerOrderPerHour: number | null;
  };
}

/** What one call carries through every floor. */
export interface CallContext {
  readonly requestId: string;
  /** Where the call comes from, where the door knows. */
  readonly address?: string | undefined;
  readonly log: Logger;
  /** Aborts when the caller is gone or the process stops. */
  readonly signal: AbortSignal;
}
