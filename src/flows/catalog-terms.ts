import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import type { DiscountRow } from '../model/discount.ts';
import type { DiscountTerms } from '../model/pricing.ts';
import { findDiscount, findDiscountByCode } from '../store/discounts.ts';
import { findTaxedProducts, type TaxedProductRow } from '../store/products.ts';

/** A discount by its id or by its code. */
export type NamedDiscount = { readonly id: string } | { readonly code: string };

/**
 * Products with their taxes, in the order of their names (UUID or slug), in one read.
 * @param nameOf how an error calls the product at a place. @param sold products that may have left the catalog since.
 * @throws {AppError} 404 for a product of nobody or somebody else; 422 for one that is not for sale.
 */
export async function readProductsForSale(
  db: Handle,
  scope: Scope,
  names: readonly string[],
  nameOf: (index: number) => string,
  sold: ReadonlySet<string> = new Set(),
): Promise<TaxedProductRow[]> {
  const found = await findTaxedProducts(db, scope, names);
  return names.map((name, index) => {
    const product = found.get(name);
    if (!product) throw notFound('Product');
    if (product.status !== 'active' && !sold.has(product.id)) {
      throw invalid(`${nameOf(index)} names a product that is ${product.status}, not for sale`);
    }
    return product;
  });
}

/** @throws {AppError} 422 for a discount that is nobody's, somebody else's, off, outside its dates or in another currency. */
export async function readDiscountThatCounts(
  db: Handle,
  scope: Scope,
  wanted: NamedDiscount,
  currency: string,
  now: Date,
): Promise<DiscountTerms> {
  const byId = 'id' in wanted;
  const member = byId ? 'discount_id' : 'discount_code';
  const row = byId ? await findById(db, scope, wanted.id) : await findDiscountByCode(db, scope, wanted.code);
  if (!row || !countsNow(row, now)) throw invalid(`${member} names no discount that counts now`);
  return toTerms(row, currency, member);
}

/** A discount that an order has already, whatever its dates are now; undefined when it is gone. @throws {AppError} 422 */
export async function readAgreedDiscount(
  db: Handle,
  scope: Scope,
  id: string,
  currency: string,
): Promise<DiscountTerms | undefined> {
  const row = await findById(db, scope, id);
  return row && toTerms(row, currency, 'discount_id');
}

async function findById(db: Handle, scope: Scope, id: string): Promise<DiscountRow | undefined> {
  return isUuid(id) ? findDiscount(db, scope, id) : undefined;
}

function countsNow({ enabled, starts_at, ends_at }: DiscountRow, now: Date): boolean {
  return enabled && (starts_at === null || starts_at <= now) && (ends_at === null || now < ends_at);
}

function toTerms(row: DiscountRow, currency: string, member: string): DiscountTerms {
  if (row.kind === 'fixed' && row.currency !== currency) {
    throw invalid(`${member} is in ${row.currency}, not ${currency}`);
  }
  return { id: row.id, name: row.name, kind: row.kind, percent: row.percent, amountCents: row.amount_cents };
}
