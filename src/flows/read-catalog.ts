import { createHash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { type Catalog, type CatalogRows, catalogSchema, toCatalog } from '../model/catalog.ts';
import { findCatalogVersion } from '../store/catalog-versions.ts';
import { listEnabledDiscounts } from '../store/discounts.ts';
import { listMerchantProductTypes } from '../store/product-types.ts';
import { listActiveProducts } from '../store/products.ts';
import { listMerchantTaxes } from '../store/taxes.ts';

interface CatalogView extends Scope {
  payUrl: string;
  /** Whether codes of discounts show. */
  withCodes: boolean;
}

interface TaggedCatalog {
  etag: string;
  load(): Promise<Catalog>;
}

/** A catalog read now: its tag costs one read by key, and so does the whole of it while it has not changed. */
export async function readCatalog(db: Database, view: CatalogView): Promise<TaggedCatalog> {
  const etag = tagOf(view, await findCatalogVersion(db, view));
  return { etag, load: async () => findKept(db, etag) ?? loadCatalog(db, view) };
}

async function loadCatalog(db: Database, view: CatalogView): Promise<Catalog> {
  const rows = await db.snapshot(async (tx): Promise<CatalogRows> => {
    const [version, types, products, taxes, discounts] = await Promise.all([
      findCatalogVersion(tx, view),
      listMerchantProductTypes(tx, view),
      listActiveProducts(tx, view),
      listMerchantTaxes(tx, view),
      listEnabledDiscounts(tx, view),
    ]);
    return { merchantId: view.merchantId, livemode: view.livemode, version, types, products, taxes, discounts };
  });
  const catalog = toCatalog(rows, view.payUrl, view.withCodes);
  // Under the version of the snapshot, which may be newer than the one that was asked about.
  keep(db, tagOf(view, rows.version), catalog, rows.products.length);
  return catalog;
}

/** Different for all that the answer depends on: whose and which catalog, what shows of it, and the form it has. */
function tagOf({ merchantId, livemode, payUrl, withCodes }: CatalogView, version: Date): string {
  const mode = livemode ? 'live' : 'test';
  const codes = withCodes ? 'codes' : 'plain';
  // Told, not hashed: tills ask all the time, and hashing would be a good part of answering them.
  return `"${merchantId}-${mode}-${version.getTime()}-${codes}-${formOf(payUrl)}"`;
}

const shape = JSON.stringify(catalogSchema);
const forms = new Map<string, string>();

/** The shape of the answer and where its links lead, in a few characters; a process has one, or two while it starts. */
function formOf(payUrl: string): string {
  const known = forms.get(payUrl);
  if (known) return known;
  const form = createHash('sha256').update(`${payUrl} ${shape}`).digest('base64url').slice(0, 11);
  forms.set(payUrl, form);
  return form;
}

// Catalogs as last made, by their tag, so that no stale one is ever found. The oldest go when they get too many.

interface Kept {
  catalog: Catalog;
  weight: number;
}

interface Shelf {
  catalogs: Map<string, Kept>;
  weight: number;
}

const shelves = new WeakMap<Database, Shelf>();
/** In products, of about 2.5 kB each with the bytes of the answer. */
const mostWeight = 20_000;
/** An empty catalog takes room as well. */
const weightOfNone = 10;

function findKept(db: Database, etag: string): Catalog | undefined {
  const shelf = shelves.get(db);
  const kept = shelf?.catalogs.get(etag);
  if (!shelf || !kept) return undefined;
  // To the end of the line.
  shelf.catalogs.delete(etag);
  shelf.catalogs.set(etag, kept);
  return kept.catalog;
}

function keep(db: Database, etag: string, catalog: Catalog, products: number): void {
  const weight = products + weightOfNone;
  if (weight > mostWeight) return;
  const shelf = shelves.get(db) ?? { catalogs: new Map<string, Kept>(), weight: 0 };
  shelves.set(db, shelf);
  if (shelf.catalogs.has(etag)) return;
  shelf.catalogs.set(etag, { catalog, weight });
  shelf.weight += weight;
  for (const [oldest, kept] of shelf.catalogs) {
    if (shelf.weight <= mostWeight) break;
    shelf.catalogs.delete(oldest);
    shelf.weight -= kept.weight;
  }
}
