import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Handle, statement } from '../../src/db/database.ts';
import type { Scope } from '../../src/kernel/context.ts';
import { findCatalogVersion } from '../../src/store/catalog-versions.ts';
import { findMerchantView } from '../../src/store/merchant-views.ts';
import { findOrderView } from '../../src/store/order-views.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';

// A short read, so it travels on the connection of the statements it is about.
const kept = statement(
  'kept_plans',
  'select name, generic_plans::int as kept, custom_plans::int as made from pg_prepared_statements where name = $1',
);
/** Up to here PostgreSQL always makes a plan for the values at hand, to compare. */
const trials = 5;

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

// An array that the planner sees has it plan each call anew, which took longer than reading what was asked for.
test.each([
  ['merchant_views_find', findMerchantView],
  // Sends the statement above as well.
  ['order_views_find', (db: Handle, scope: Scope) => findOrderView(db, scope, scope.merchantId)],
  ['catalog_versions_find', findCatalogVersion],
])('%s is planned once, not at every call', async (name, read) => {
  const { db } = app.parts;
  const { id: merchantId } = await app.newMerchant();
  for (let call = 0; call < 2 * trials; call++) await read(db, { merchantId, livemode: false });
  expect(await db.maybeOne(kept, [name])).toEqual({ name, kept: trials, made: trials });
});
