import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { isUuid } from '../kernel/ids.ts';

/** What a line of a paid order opens. */
interface AccessGrantRow {
  /** The sale line's. */
  id: string;
  order_id: string;
  product_id: string;
  duration_seconds: number | null;
  expires_at: Date;
}

/** A grant with what decides whether it still counts. */
interface AccessStanding extends AccessGrantRow {
  order_status: string;
  resource_type: string | null;
  /** Whether every key of the product may be served to browsers. */
  browser_delivery: boolean;
}

const insert = statement(
  'access_grants_insert',
  `insert into access_grants (id, merchant_id, livemode, order_id, product_id, duration_seconds, expires_at, created_at)
   select line.id, $2, $3, $1, p.id, p.access_duration_seconds,
          $4::timestamptz + coalesce(make_interval(secs => p.access_duration_seconds), interval '100 years'), $4
     from unnest($5::uuid[], $6::uuid[], $7::text[]) as line(id, product_id, slug)
     join products p on p.merchant_id = $2 and p.livemode = $3 and (p.id = line.product_id or p.slug = line.slug)
    where p.resource_type is distinct from 'physical'`,
);
const list = statement(
  'access_grants_list',
  `select id, order_id, product_id, duration_seconds, expires_at from access_grants where order_id = $1 order by id`,
);
const findStanding = statement(
  'access_grants_find_standing',
  `select g.id, g.order_id, g.product_id, g.duration_seconds, g.expires_at, o.status as order_status, p.resource_type,
          not exists (select 1 from media_key_products l join media_keys k on k.id = l.media_key_id
                       where l.product_id = g.product_id and not k.browser_delivery) as browser_delivery
     from access_grants g join orders o on o.id = g.order_id join products p on p.id = g.product_id
    where g.order_id = $1 and g.product_id = $2 and g.merchant_id = $3 and g.livemode = $4
    order by g.expires_at desc limit 1`,
);

/**
 * Grants what the lines of a paid order open. A line opens something when it names a product of the catalog that is not
 * sent by post. @param lines sale lines with what they name, a UUID or a slug.
 */
export async function insertAccessGrants(
  tx: Handle,
  scope: Scope,
  orderId: string,
  lines: readonly { id: string; product: string }[],
  now: Date,
): Promise<void> {
  const ids = lines.map(({ id }) => id);
  const productIds = lines.map(({ product }) => (isUuid(product) ? product : null));
  const slugs = lines.map(({ product }) => (isUuid(product) ? null : product));
  await tx.run(insert, [orderId, scope.merchantId, scope.livemode, now, ids, productIds, slugs]);
}

/** The order comes from the caller's scope. */
export function listAccessGrants(db: Handle, orderId: string): Promise<AccessGrantRow[]> {
  return db.many(list, [orderId]);
}

/** The longest grant of a product by an order, whatever became of the order. */
export function findAccessStanding(
  db: Handle,
  scope: Scope,
  orderId: string,
  productId: string,
): Promise<AccessStanding | undefined> {
  return db.maybeOne(findStanding, [orderId, productId, scope.merchantId, scope.livemode]);
}
