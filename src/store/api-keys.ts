import { type Handle, statement } from '../db/database.ts';
import type { Permission, Scope } from '../kernel/context.ts';
import type { MerchantStatus } from '../model/merchant.ts';

export interface ApiKeyRow {
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
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
}

const columns = `id, merchant_id, livemode, kind, name, prefix, last_four, permissions, ip_ranges, rpm_limit,
  last_used_at, revoked_at, created_at`;

const insert = statement(
  'api_keys_insert',
  `insert into api_keys (id, merchant_id, livemode, kind, name, key_hash, prefix, last_four, permissions, ip_ranges,
                         rpm_limit, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
const findByHash = statement(
  'api_keys_find_by_hash',
  `select k.id, k.merchant_id, k.livemode, k.kind, k.permissions, k.ip_ranges, k.rpm_limit, k.revoked_at,
          m.status as merchant_status
     from api_keys k join merchants m on m.id = k.merchant_id
    where k.key_hash = $1`,
);
const list = statement(
  'api_keys_list',
  `select ${columns} from api_keys where merchant_id = $1 order by created_at, id`,
);
const revoke = statement(
  'api_keys_revoke',
  `update api_keys set revoked_at = $4 where id = $1 and merchant_id = $2 and livemode = $3 and revoked_at is null`,
);
const revokeForOperator = statement(
  'api_keys_revoke_for_operator',
  'update api_keys set revoked_at = $2 where id = $1 and revoked_at is null',
);

export interface NewApiKey {
  id: string;
  kind: 'secret' | 'publishable';
  name: string;
  keyHash: Buffer;
  prefix: string;
  lastFour: string;
  permissions: readonly Permission[] | null;
  ipRanges: readonly string[] | null;
  rpmLimit: number | null;
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
  ]);
}

export type ApiKeyMatch = Pick<
  ApiKeyRow,
  'id' | 'merchant_id' | 'livemode' | 'kind' | 'permissions' | 'ip_ranges' | 'rpm_limit' | 'revoked_at'
> & { merchant_status: MerchantStatus };

/** The key with this SHA-256 and its merchant's status. No tenant: the key is what tells the tenant. */
export function findApiKeyByHash(db: Handle, keyHash: Buffer): Promise<ApiKeyMatch | undefined> {
  return db.maybeOne(findByHash, [keyHash]);
}

/** All keys of a merchant in both modes, oldest first. */
export function listApiKeysForOperator(db: Handle, merchantId: string): Promise<ApiKeyRow[]> {
  return db.many(list, [merchantId]);
}

export async function revokeApiKey(db: Handle, scope: Scope, id: string, now: Date): Promise<boolean> {
  return (await db.run(revoke, [id, scope.merchantId, scope.livemode, now])) === 1;
}

export async function revokeApiKeyForOperator(db: Handle, id: string, now: Date): Promise<boolean> {
  return (await db.run(revokeForOperator, [id, now])) === 1;
}
