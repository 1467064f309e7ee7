import { type Static, Type } from 'typebox';
import { permissionNouns } from '../kernel/context.ts';
import { cents, livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';

/** "API token" is the wire's word for an API key (docs/glossary.md). */
export const permissions = [
  ...permissionNouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`] as const),
  'media_keys:manage',
] as const;

interface ApiTokenSource {
  id: string;
  livemode: boolean;
  kind: 'secret' | 'publishable';
  name: string;
  prefix: string;
  last_four: string;
  permissions: readonly string[] | null;
  ip_ranges: readonly string[] | null;
  rpm_limit: number | null;
  allowed_tools: readonly string[] | null;
  max_order_cents: number | null;
  max_daily_cents: number | null;
  products_only: boolean;
  last_used_at: Date | null;
  revoked_at: Date | null;
  device_name: string | null;
  created_at: Date;
}

export const apiTokenTypes = ['secret', 'publishable', 'pos'] as const;
type ApiTokenType = (typeof apiTokenTypes)[number];

/** The wire's word: a secret key that a sign-in gave to a device is `pos`. */
export function typeOfApiToken(row: Pick<ApiTokenSource, 'kind' | 'device_name'>): ApiTokenType {
  return row.device_name === null ? row.kind : 'pos';
}

const fields = {
  object: objectName('api_token'),
  livemode,
  id: uuid('API token'),
  name: Type.String(),
  token_type: oneOf(apiTokenTypes),
  prefix: Type.String(),
  last_four: Type.String(),
  permissions: Type.Unsafe<string[] | null>(
    nullable(Type.Array(Type.String(), { description: 'null: everything a key of its type may do' })),
  ),
  ip_ranges: Type.Unsafe<string[] | null>(
    nullable(Type.Array(Type.String(), { description: 'Where it may be used from; null: anywhere' })),
  ),
  rpm_limit: nullable(Type.Integer({ description: 'Requests a minute; null: the plan’s' })),
  allowed_tools: Type.Unsafe<string[] | null>(
    nullable(Type.Array(Type.String(), { description: 'The only operations it may call, by name; null: all' })),
  ),
  max_order_cents: nullable(cents('Largest amount it may ask for at once; null: any')),
  max_daily_cents: nullable(cents('Most it may ask for in a day of the merchant; null: any')),
  products_only: Type.Boolean({ description: 'Whether a publishable token makes checkouts of products alone' }),
  last_used_at: nullable(timestamp('Last request')),
  revoked_at: nullable(timestamp('When it stops or stopped working')),
  created_at: timestamp('When it was made'),
};

export const apiTokenSchema = Type.Object(fields, { description: 'An API token; never the key itself' });
type ApiToken = Static<typeof apiTokenSchema>;

export const createdApiTokenSchema = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown this once' }) },
  { description: 'A new API token with its key' },
);

export const apiTokenUsageSchema = Type.Object(
  {
    object: objectName('api_token_usage'),
    livemode,
    id: uuid('API token'),
    name: Type.String(),
    token_type: fields.token_type,
    rpm_limit: Type.Integer({ description: 'Requests a minute' }),
    monthly_request_count: Type.Integer({ description: 'Requests since the first of the month, UTC' }),
    last_request_counted_at: nullable(timestamp('Last request in the count')),
    last_used_at: nullable(timestamp('Last request')),
    created_at: timestamp('When it was made'),
  },
  { description: 'How much an API token is used' },
);

export function toApiToken(row: ApiTokenSource): ApiToken {
  return {
    object: 'api_token',
    livemode: row.livemode,
    id: row.id,
    name: row.name,
    token_type: typeOfApiToken(row),
    prefix: row.prefix,
    last_four: row.last_four,
    permissions: row.permissions && [...row.permissions],
    ip_ranges: row.ip_ranges && [...row.ip_ranges],
    rpm_limit: row.rpm_limit,
    allowed_tools: row.allowed_tools && [...row.allowed_tools],
    max_order_cents: row.max_order_cents,
    max_daily_cents: row.max_daily_cents,
    products_only: row.products_only,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
