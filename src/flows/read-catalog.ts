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
  return { etag, load: async () => findKept(db, view, etag) ?? loadCatalog(db, view) };
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
  keep(db, view, { etag: tagOf(view, rows.version), catalog, weight: rows.products.length + weightOfNone });
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

// Catalogs as last made, one for each view: an older version is never asked for again. They have their tag, so that no stale
// one is ever found. Those nobody asked for longest go when they get too many.

interface Kept {
  etag: string;
  catalog: Catalog;
  weight: number;
}

interface Shelf {
  /** By what `viewText` says. */
  catalogs: Map<string, Kept>;
  weight: number;
}

const shelves = new WeakMap<Database, Shelf>();
/** In products, of about 2.5 kB each with the bytes of the answer. */
const mostWeight = 20_000;
/** An empty catalog takes room as well. */
const weightOfNone = 10;

const viewText = ({ merchantId, livemode, payUrl, withCodes }: CatalogView): string =>
  `${merchantId} ${livemode} ${withCodes} ${payUrl}`;

function findKept(db: Database, view: CatalogView, etag: string): Catalog | undefined {
  const shelf = shelves.get(db);
  const text = viewText(view);
  const kept = shelf?.catalogs.get(text);
  if (!shelf || kept?.etag !== etag) return undefined;
  // To the end of the line.
  shelf.catalogs.delete(text);
  shelf.catalogs.set(text, kept);
  return kept.catalog;
}

function keep(db: Database, view: CatalogView, kept: Kept): void {
  const shelf = shelves.get(db) ?? { catalogs: new Map<string, Kept>(), weight: 0 };
  shelves.set(db, shelf);
  const text = viewText(view);
  if (shelf.catalogs.get(text)?.etag === kept.etag) return;
  drop(shelf, text);
  if (kept.weight > mostWeight) return;
  shelf.catalogs.set(text, kept);
  shelf.weight += kept.weight;
  for (const oldest of shelf.catalogs.keys()) {
    if (shelf.weight <= mostWeight) break;
    drop(shelf, oldest);
  }
}

function drop(shelf: Shelf, text: string): void {
  shelf.weight -= shelf.catalogs.get(text)?.weight ?? 0;
  shelf.catalogs.delete(text);
}
