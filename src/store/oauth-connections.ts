import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { MerchantStatus } from '../model/merchant.ts';
import { connectingRoles, type OauthConnectionRow } from '../model/oauth-connection.ts';

const columns =
  'id, merchant_id, livemode, user_id, client_id, client_name, redirect_host, scopes, last_used_at, revoked_at, created_at';

const insert = statement(
  'oauth_connections_insert',
  `insert into oauth_connections (id, merchant_id, livemode, user_id, client_id, client_name, redirect_host, scopes, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const find = statement(
  'oauth_connections_find',
  `select ${columns} from oauth_connections where id = $1 and merchant_id = $2 and livemode = $3`,
);
const findForOperator = statement(
  'oauth_connections_find_for_operator',
  `select ${columns} from oauth_connections where id = $1`,
);
const listForOperator = statement(
  'oauth_connections_list_for_operator',
  `select ${columns} from oauth_connections where merchant_id = $1 order by created_at, id`,
);
const listStanding = statement(
  'oauth_connections_list_standing',
  `select ${columns} from oauth_connections where merchant_id = any($1) and revoked_at is null
    order by created_at desc, id desc`,
);
// The names of places a person may lose are null where they don't matter; each row is ended once.
const end = statement(
  'oauth_connections_end',
  `update oauth_connections set revoked_at = $5
    where revoked_at is null and ($1::uuid is null or id = $1) and ($2::uuid is null or user_id = $2)
      and ($3::uuid is null or merchant_id = $3) and ($4::text is null or client_id = $4)
      and ($6::boolean is null or livemode = $6)
   returning ${columns}`,
);
const findByToken = statement(
  'oauth_connections_find_by_token',
  `select c.id, c.merchant_id, c.livemode, a.scope, a.audience, a.expires_at <= $2 as expired,
          c.revoked_at is not null or s.role is null as revoked,
          m.status as merchant_status, p.per_api_key_per_minute as per_minute, p.per_api_key_per_hour as per_hour,
          p.delivery_per_order_per_hour as deliveries_per_hour
     from oauth_artifacts a join oauth_connections c on c.id = a.connection_id
     join merchants m on m.id = c.merchant_id join plans p on p.slug = m.plan_slug
     left join memberships s on s.user_id = c.user_id and s.merchant_id = c.merchant_id and s.role = any($3)
    where a.model = 'AccessToken' and a.id_hash = $1`,
);
const noteUse = statement(
  'oauth_connections_note_use',
  `with used as (
     select * from unnest($1::uuid[], $2::timestamptz[]) as t (id, last_at)
   ), locked as (
     select c.id from oauth_connections c join used on used.id = c.id order by c.id for no key update of c
   )
   update oauth_connections c set last_used_at = greatest(c.last_used_at, used.last_at)
     from used join locked on locked.id = used.id
    where c.id = used.id`,
);
// What holds no token but its own grant can never be used again.
const endIdle = statement(
  'oauth_connections_end_idle',
  `update oauth_connections c set revoked_at = $1
    where c.revoked_at is null and c.created_at < $2
      and not exists (select from oauth_artifacts a where a.connection_id = c.id and a.model <> 'Grant')`,
);
const sweep = statement(
  'oauth_connections_sweep',
  `delete from oauth_connections where id in (
     select id from oauth_connections where revoked_at < $1 order by revoked_at limit $2)`,
);

export async function insertOauthConnection(
  tx: Handle,
  row: Omit<OauthConnectionRow, 'last_used_at' | 'revoked_at'>,
): Promise<void> {
  await tx.run(insert, [
    row.id,
    row.merchant_id,
    row.livemode,
    row.user_id,
    row.client_id,
    row.client_name,
    row.redirect_host,
    row.scopes,
    row.created_at,
  ]);
}

export function findOauthConnection(db: Handle, scope: Scope, id: string): Promise<OauthConnectionRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** Newest first, those that have ended included. */
export function listOauthConnections(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<OauthConnectionRow>> {
  return listPage<OauthConnectionRow>(
    db,
    {
      select: `select ${columns} from oauth_connections`,
      countFrom: 'from oauth_connections',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { client_name: 'client_name', created_at: 'created_at' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}

export function findOauthConnectionForOperator(db: Handle, id: string): Promise<OauthConnectionRow | undefined> {
  return db.maybeOne(findForOperator, [id]);
}

/** All of a merchant in both modes, oldest first. */
export function listOauthConnectionsForOperator(db: Handle, merchantId: string): Promise<OauthConnectionRow[]> {
  return db.many(listForOperator, [merchantId]);
}

/** Those of several merchants and both modes that have not ended, newest first. */
export function listStandingConnections(db: Handle, merchantIds: readonly string[]): Promise<OauthConnectionRow[]> {
  return db.many(listStanding, [merchantIds]);
}

/** Whose connections end; at least one of them must be named. */
interface ConnectionsToEnd {
  id?: string;
  userId?: string;
  merchantId?: string;
  clientId?: string;
  livemode?: boolean;
}

/** Ends connections that stand. @returns those that this call ended, in the order of their merchants. */
export async function endOauthConnections(
  tx: Handle,
  which: ConnectionsToEnd,
  now: Date,
): Promise<OauthConnectionRow[]> {
  const { id, userId, merchantId, clientId, livemode } = which;
  if (!id && !userId && !merchantId) throw new Error('Somebody’s connections must be named');
  const rows = await tx.many<OauthConnectionRow>(end, [
    id ?? null,
    userId ?? null,
    merchantId ?? null,
    clientId ?? null,
    now,
    livemode ?? null,
  ]);
  return rows.sort((a, b) => (a.merchant_id < b.merchant_id ? -1 : a.merchant_id > b.merchant_id ? 1 : 0));
}

export interface AccessTokenMatch {
  /** Of the connection. */
  id: string;
  merchant_id: string;
  livemode: boolean;
  scope: string | null;
  audience: string | null;
  expired: boolean;
  revoked: boolean;
  merchant_status: MerchantStatus;
  per_minute: number;
  per_hour: number | null;
  deliveries_per_hour: number | null;
}

/** The connection behind an access token with this SHA-256. No tenant: the token is what tells the tenant. */
export function findConnectionByToken(db: Handle, tokenHash: Buffer, now: Date): Promise<AccessTokenMatch | undefined> {
  return db.maybeOne(findByToken, [tokenHash, now, connectingRoles]);
}

/** Ids that are no connections' are passed over. */
export async function noteConnectionUse(db: Handle, uses: readonly { id: string; lastAt: Date }[]): Promise<void> {
  await db.run(noteUse, [uses.map(({ id }) => id), uses.map(({ lastAt }) => lastAt)]);
}

/** Ends connections from before whose last token is gone. */
export function endIdleConnections(db: Handle, now: Date, before: Date): Promise<number> {
  return db.run(endIdle, [now, before]);
}

/** Removes a batch of connections that ended before, with their tokens. */
export function sweepOauthConnections(db: Handle, before: Date, batchSize: number): Promise<number> {
  return db.run(sweep, [before, batchSize]);
}
