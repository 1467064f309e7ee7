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

export type PermissionNoun = (typeof permissionNouns)[number];
export type Permission = `${PermissionNoun}:${'read' | 'write'}` | 'media_keys:manage';

/** The tenant and mode that a store function may see. Rows of anyone else do not exist for it. */
export interface Scope {
  readonly merchantId: string;
  readonly livemode: boolean;
}

/** Who is calling, after the credential has been checked. */
export interface Caller extends Scope {
  readonly kind: 'secret' | 'publishable';
  /** Id of the API key; idempotency keys and rate windows belong to it. */
  readonly credentialId: string;
  /** `full`, or the permissions the key was narrowed to. */
  readonly permissions: 'full' | readonly Permission[];
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
