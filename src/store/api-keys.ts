import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Permission, Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { MerchantStatus } from '../model/merchant.ts';
import { deviceIdleDays } from '../model/user.ts';

/** What a key is held to besides its permissions; amounts in minor units of its merchant's currency. */
export interface KeyLimits {
  /** The only operations it may call; null: all that its permissions allow. */
  allowed_tools: readonly string[] | null;
  max_order_cents: number | null;
  max_daily_cents: number | null;
  /** Makes checkouts of products alone, never of an amount; publishable keys only. */
  products_only: boolean;
}

export interface ApiKeyRow extends KeyLimits {
  id: string;
  merchant_id: string;
  livemode: boolean;
  kind: 'secret' | 'publishable';
  name: string;
  prefix: string;
  last_four: string;
  permissions: Permission[] | null;
  ip_ranges: string[] | null;
  rpm_limit: number | null;
  /** The month that the count belongs to, such as `2027-03` (UTC). */
  request_month: string | null;
  monthly_request_count: number;
  last_request_counted_at: Date | null;
  last_used_at: Date | null;
  /** The key stops working then; in the future while a rolled key still overlaps with its successor. */
  revoked_at: Date | null;
  /** What the device is called that a sign-in got this key for; null for all other keys. */
  device_name: string | null;
  created_at: Date;
}

const columns = `id, merchant_id, livemode, kind, name, prefix, last_four, permissions, ip_ranges, rpm_limit,
  allowed_tools, max_order_cents, max_daily_cents, products_only, request_month, monthly_request_count,
  last_request_counted_at, last_used_at, revoked_at, device_name, created_at`;

const insert = statement(
  'api_keys_insert',
  `insert into api_keys (id, merchant_id, livemode, kind, name, key_hash, prefix, last_four, permissions, ip_ranges,
                         rpm_limit, created_at, allowed_tools, max_order_cents, max_daily_cents, products_only)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
);
const findByHash = statement(
  'api_keys_find_by_hash',
  `select k.id, k.merchant_id, k.livemode, k.kind, k.permissions, k.ip_ranges, k.rpm_limit,
          k.allowed_tools, k.max_order_cents, k.max_daily_cents, k.products_only,
          coalesce(k.revoked_at <= $2, false)
            or (k.device_name is not null and greatest(k.last_used_at, k.created_at) < $2::timestamptz - interval '${deviceIdleDays} days')
            as revoked,
          m.status as merchant_status, p.per_api_key_per_minute as per_minute, p.per_api_key_per_hour as per_hour,
          p.delivery_per_order_per_hour as deliveries_per_hour
     from api_keys k join merchants m on m.id = k.merchant_id join plans p on p.slug = m.plan_slug
    where k.key_hash = $1`,
);
const list = statement(
  'api_keys_list',
  `select ${columns} from api_keys where merchant_id = $1 order by created_at, id`,
);
const findForOperator = statement('api_keys_find_for_operator', `select ${columns} from api_keys where id = $1`);
const find = statement(
  'api_keys_find',
  `select ${columns} from api_keys where id = $1 and merchant_id = $2 and livemode = $3`,
);
const lock = statement(
  'api_keys_lock',
  `select ${columns} from api_keys where id = $1 and merchant_id = $2 and livemode = $3 for no key update`,
);
const update = statement(
  'api_keys_update',
  `update api_keys set name = $4, ip_ranges = $5, rpm_limit = $6, allowed_tools = $7, max_order_cents = $8,
          max_daily_cents = $9, products_only = $10
    where id = $1 and merchant_id = $2 and livemode = $3`,
);
const revoke = statement(
  'api_keys_revoke',
  `update api_keys set revoked_at = $4
    where id = $1 and merchant_id = $2 and livemode = $3 and (revoked_at is null or revoked_at > $4)`,
);
// Rows are locked in the order of their ids, so that two processes that flush at once don't deadlock.
const addUsage = statement(
  'api_keys_add_usage',
  `with added as (
     select * from unnest($1::uuid[], $2::bigint[], $3::timestamptz[]) as t (id, requests, last_at)
   ), locked as (
     select k.id from api_keys k join added on added.id = k.id order by k.id for no key update of k
   )
   update api_keys k
      set monthly_request_count = added.requests + case
            when k.request_month = to_char(added.last_at at time zone 'UTC', 'YYYY-MM')
            then k.monthly_request_count else 0 end,
          request_month = to_char(added.last_at at time zone 'UTC', 'YYYY-MM'),
          last_request_counted_at = greatest(k.last_request_counted_at, added.last_at),
          last_used_at = greatest(k.last_used_at, added.last_at)
     from added join locked on locked.id = added.id
    where k.id = added.id`,
);

const hasActive = statement(
  'api_keys_has_active',
  `select exists (
     select from api_keys where merchant_id = $1 and livemode = $2 and kind = 'secret' and device_name is null
        and (revoked_at is null or revoked_at > $3)
   ) as found`,
);

interface NewApiKey {
  id: string;
  kind: 'secret' | 'publishable';
  name: string;
  keyHash: Buffer;
  prefix: string;
  lastFour: string;
  permissions: readonly Permission[] | null;
  ipRanges: readonly string[] | null;
  rpmLimit: number | null;
  limits: KeyLimits;
  now: Date;
}

export async function insertApiKey(tx: Handle, scope: Scope, key: NewApiKey): Promise<void> {
  await tx.run(insert, [
    key.id,
    scope.merchantId,
    scope.livemode,
    key.kind,
    key.name,
    key.keyHash,
    key.prefix,
    key.lastFour,
    key.permissions,
    key.ipRanges,
    key.rpmLimit,
    key.now,
    key.limits.allowed_tools,
    key.limits.max_order_cents,
    key.limits.max_daily_cents,
    key.limits.products_only,
  ]);
}

export type ApiKeyMatch = Pick<
  ApiKeyRow,
  'id' | 'merchant_id' | 'livemode' | 'kind' | 'permissions' | 'ip_ranges' | 'rpm_limit' | keyof KeyLimits
> & {
  revoked: boolean;
  merchant_status: MerchantStatus;
  per_minute: number;
  per_hour: number | null;
  deliveries_per_hour: number | null;
};

/** The key with this SHA-256 and its merchant's status. No tenant: the key is what tells the tenant. */
export function findApiKeyByHash(db: Handle, keyHash: Buffer, now: Date): Promise<ApiKeyMatch | undefined> {
  return db.maybeOne(findByHash, [keyHash, now]);
}

export function findApiKey(db: Handle, scope: Scope, id: string): Promise<ApiKeyRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

export function lockApiKey(tx: Handle, scope: Scope, id: string): Promise<ApiKeyRow | undefined> {
  return tx.maybeOne(lock, [id, scope.merchantId, scope.livemode]);
}

export type ApiKeySettings = Pick<ApiKeyRow, 'name' | 'ip_ranges' | 'rpm_limit' | keyof KeyLimits>;

export async function saveApiKey(tx: Handle, scope: Scope, id: string, settings: ApiKeySettings): Promise<void> {
  const { name, ip_ranges, rpm_limit, allowed_tools, max_order_cents, max_daily_cents, products_only } = settings;
  await tx.run(update, [
    id,
    scope.merchantId,
    scope.livemode,
    name,
    ip_ranges,
    rpm_limit,
    allowed_tools,
    max_order_cents,
    max_daily_cents,
    products_only,
  ]);
}

/** Newest first, keys that no longer work included. */
export function listApiKeys(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<ApiKeyRow>> {
  return listPage<ApiKeyRow>(
    db,
    {
      select: `select ${columns} from api_keys`,
      countFrom: 'from api_keys',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        token_type: `(case when device_name is null then kind else 'pos' end)`,
        name: 'name',
        created_at: 'created_at',
      },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}

interface ApiKeyUsage {
  id: string;
  requests: number;
  lastAt: Date;
}

/** Adds counted requests; a new calendar month (UTC) starts from 0. */
export async function addApiKeyUsage(db: Handle, usage: readonly ApiKeyUsage[]): Promise<void> {
  await db.run(addUsage, [
    usage.map(({ id }) => id),
    usage.map(({ requests }) => requests),
    usage.map(({ lastAt }) => lastAt),
  ]);
}

/** All keys of a merchant in both modes, oldest first. */
export function listApiKeysForOperator(db: Handle, merchantId: string): Promise<ApiKeyRow[]> {
  return db.many(list, [merchantId]);
}

export function findApiKeyForOperator(db: Handle, id: string): Promise<ApiKeyRow | undefined> {
  return db.maybeOne(findForOperator, [id]);
}

/** The key stops working at `at`. @returns false when it is not the caller's or has stopped before. */
export async function revokeApiKey(db: Handle, scope: Scope, id: string, at: Date): Promise<boolean> {
  return (await db.run(revoke, [id, scope.merchantId, scope.livemode, at])) === 1;
}

/** Whether a merchant has a secret key that works in this mode, device keys aside. */
export async function hasActiveApiKey(db: Handle, scope: Scope, now: Date): Promise<boolean> {
  return (await db.maybeOne<{ found: boolean }>(hasActive, [scope.merchantId, scope.livemode, now]))!.found;
}
