import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';

// Before the first write the catalog is as old as its merchant.
const advance = statement(
  'catalog_versions_advance',
  `insert into catalog_versions (merchant_id, livemode, version)
   select id, $2::boolean, greatest($3::timestamptz, created_at + interval '1 millisecond') from merchants where id = $1
   on conflict (merchant_id, livemode) do update
      set version = greatest(excluded.version, catalog_versions.version + interval '1 millisecond')`,
);
const find = statement(
  'catalog_versions_find',
  `select coalesce(v.version, m.created_at) as version
     from merchants m left join catalog_versions v on v.merchant_id = m.id and v.livemode = $2
    where m.id = $1`,
);

/**
 * First step of every transaction that writes to the catalog. It locks the catalog, so that what is read afterwards
 * (free codes, used types, last positions) stays true until the commit, and the version strictly rises.
 */
export async function advanceCatalog(tx: Handle, scope: Scope, now: Date): Promise<void> {
  await tx.run(advance, [scope.merchantId, scope.livemode, now]);
}

export async function findCatalogVersion(db: Handle, scope: Scope): Promise<Date> {
  return (await db.maybeOne<{ version: Date }>(find, [scope.merchantId, scope.livemode]))!.version;
}
