import { type Handle, statement } from '../db/database.ts';
import { gatheredRead, type Placed } from '../db/gathered-read.ts';
import type { Scope } from '../kernel/context.ts';
import { scopeText } from '../model/scope.ts';

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
  `select k.place::integer, coalesce(v.version, m.created_at) as found
     from unnest((select $1::uuid[]), (select $2::boolean[])) with ordinality as k(merchant_id, livemode, place)
     join merchants m on m.id = k.merchant_id
     left join catalog_versions v on v.merchant_id = m.id and v.livemode = k.livemode`,
  { isGathered: true },
);

/**
 * First step of every transaction that writes to the catalog. It locks the catalog, so that what is read afterwards
 * (free codes, used types, last positions) stays true until the commit, and the version strictly rises.
 */
export async function advanceCatalog(tx: Handle, scope: Scope, now: Date): Promise<void> {
  await tx.run(advance, [scope.merchantId, scope.livemode, now]);
}

const read = gatheredRead(scopeText, (db, scopes) =>
  db.many<Placed<Date>>(find, [scopes.map(({ merchantId }) => merchantId), scopes.map(({ livemode }) => livemode)]),
);

/** Tills and shop pages ask for it all the time, so those who ask together share a statement. */
export function findCatalogVersion(db: Handle, scope: Scope): Promise<Date> {
  return read(db, scope) as Promise<Date>;
}
