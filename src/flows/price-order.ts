import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { maxAmount } from '../kernel/money.ts';
import type { DiscountRow } from '../model/discount.ts';
import type { OrderItem, OrderPricing } from '../model/order.ts';
import { type DiscountTerms, type LineTerms, price } from '../model/pricing.ts';
import type { ProductRow } from '../model/product.ts';
import { findDiscount, findDiscountByCode } from '../store/discounts.ts';
import { findTypeTaxes } from '../store/product-types.ts';
import { findProduct } from '../store/products.ts';

/** What somebody wants to buy; amounts are the catalog's. */
export interface Basket {
  readonly lines: readonly { readonly product: string; readonly qty: number }[];
  /** By its id or by its code; at most one. */
  readonly discount?: { readonly id: string } | { readonly code: string } | undefined;
}

/** What a basket costs: everything an order needs to know, in the currency of its products. */
export interface PricedOrder {
  readonly currency: string;
  readonly totalCents: number;
  readonly taxCents: number;
  readonly discountCents: number;
  readonly discountId: string | null;
  readonly items: OrderItem[];
  readonly pricing: OrderPricing;
  readonly products: readonly ProductRow[];
}

interface ProductLine extends LineTerms {
  readonly product: ProductRow;
  readonly typeName: string | null;
}

/**
 * Prices products by the catalog as it is now; the rule itself is model/pricing.ts.
 * @throws {AppError} 404 for a product of nobody or somebody else; 422 for one that is not for sale, products of several
 * currencies, a discount that does not count now, or a total beyond 2^53-1.
 */
export async function priceOrder(db: Handle, scope: Scope, basket: Basket, now: Date): Promise<PricedOrder> {
  const lines: ProductLine[] = [];
  for (const { product, qty } of basket.lines) lines.push(await readLine(db, scope, product, qty));
  const { currency } = lines[0]!.product;
  if (lines.some(({ product }) => product.currency !== currency)) {
    throw invalid('products of one order must have the same currency');
  }
  const discount = basket.discount ? await readDiscount(db, scope, basket.discount, currency, now) : undefined;
  const priced = priceWithin(lines, discount);
  return {
    currency,
    totalCents: priced.totalCents,
    taxCents: priced.taxCents,
    discountCents: priced.discountCents,
    discountId: discount?.id ?? null,
    items: lines.map(({ product, qty }) => ({
      name: product.name,
      price_cents: product.price_cents,
      qty,
      product_id: product.id,
      ...(product.sku === null ? {} : { sku: product.sku }),
    })),
    pricing: {
      discount_name: discount?.name ?? null,
      tax_details: [...priced.taxDetails],
      lines: priced.lines.map(({ line, taxRate, taxCents }) => ({
        tax_rate: taxRate,
        tax_amount_cents: taxCents,
        product_type_id: line.product.product_type_id,
        product_type_name: line.typeName,
      })),
    },
    products: lines.map(({ product }) => product),
  };
}

async function readLine(db: Handle, scope: Scope, idOrSlug: string, qty: number): Promise<ProductLine> {
  const product = await findProduct(db, scope, idOrSlug);
  if (!product) throw notFound('Product');
  if (product.status !== 'active') throw invalid(`product_id names a product that is ${product.status}, not for sale`);
  const type = product.product_type_id ? await findTypeTaxes(db, product.product_type_id) : undefined;
  return { product, priceCents: product.price_cents, qty, taxes: type?.taxes ?? [], typeName: type?.name ?? null };
}

async function readDiscount(
  db: Handle,
  scope: Scope,
  wanted: { id: string } | { code: string },
  currency: string,
  now: Date,
): Promise<DiscountTerms> {
  const byId = 'id' in wanted;
  const member = byId ? 'discount_id' : 'discount_code';
  const row = byId ? await findDiscount(db, scope, wanted.id) : await findDiscountByCode(db, scope, wanted.code);
  if (!row || !countsNow(row, now)) throw invalid(`${member} names no discount that counts now`);
  if (row.kind === 'fixed' && row.currency !== currency)
    throw invalid(`${member} is in ${row.currency}, not ${currency}`);
  return { id: row.id, name: row.name, kind: row.kind, percent: row.percent, amountCents: row.amount_cents };
}

function countsNow({ enabled, starts_at, ends_at }: DiscountRow, now: Date): boolean {
  return enabled && (starts_at === null || starts_at <= now) && (ends_at === null || now < ends_at);
}

function priceWithin(lines: readonly ProductLine[], discount: DiscountTerms | undefined) {
  try {
    return price(lines, discount);
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`the total must be at most ${maxAmount}`);
    throw error;
  }
}
