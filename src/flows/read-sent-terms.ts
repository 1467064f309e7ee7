import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid } from '../kernel/errors.ts';
import { maxAmount } from '../kernel/money.ts';
import { shareOut } from '../kernel/share.ts';
import type { OrderItem, OrderPricing } from '../model/order.ts';
import { type DiscountTerms, type LineTerms, type Priced, price } from '../model/pricing.ts';
import type { TaxedProductRow } from '../store/products.ts';
import { readAgreedDiscount, readDiscountThatCounts, readProductsForSale } from './catalog-terms.ts';

/** An item as sent: what the product that it names says anyway may be missing. */
export type SentItem = Omit<OrderItem, 'name' | 'price_cents'> & {
  name?: string | undefined;
  price_cents?: number | undefined;
};

/** An order with a total of its own, which stands. Amounts in minor units of `currency`. */
interface SentTerms {
  readonly items: readonly SentItem[];
  readonly currency: string;
  readonly totalCents: number;
  /** Undefined where it was left out. */
  readonly taxCents: number | undefined;
  readonly discountCents: number | undefined;
  readonly discountId: string | null;
}

/** What the order had before a change: it may keep products and discounts that have left the catalog since. */
interface EarlierTerms {
  readonly productIds: ReadonlySet<string>;
  readonly discountId: string | null;
  /** What was left out stays at these where the catalog does not fill it in. */
  readonly taxCents: number;
  readonly discountCents: number;
}

export interface OrderTerms {
  readonly items: OrderItem[];
  readonly taxCents: number;
  readonly discountCents: number;
  readonly discountId: string | null;
  readonly pricing: OrderPricing | null;
}

interface Line extends LineTerms {
  readonly item: OrderItem;
  readonly product: TaxedProductRow | undefined;
}

const nothingEarlier: EarlierTerms = { productIds: new Set(), discountId: null, taxCents: 0, discountCents: 0 };

/**
 * Looks up what an order names in the catalog. The sent total stands. Where it is what the catalog's taxes and discount
 * make of the items, the parts that were left out and the detail by tax are filled in from there; where it is not, only
 * the merchant knows how it came about, and nothing is.
 * @throws {AppError} 404 for an unknown product; 422 for one that is not for sale or has another currency, a discount that
 * does not count, an item that lacks name or price, amounts beyond 2^53-1.
 */
export async function readSentTerms(
  db: Handle,
  scope: Scope,
  sent: SentTerms,
  now: Date,
  earlier: EarlierTerms = nothingEarlier,
): Promise<OrderTerms> {
  const lines = await readLines(db, scope, sent, earlier.productIds);
  const items = lines.map(({ item }) => item);
  const { discountId, currency } = sent;
  if (discountId === null && lines.every(({ product }) => !product)) {
    const { taxCents = earlier.taxCents, discountCents = earlier.discountCents } = sent;
    return { items, taxCents, discountCents, discountId, pricing: null };
  }
  const discount =
    discountId === null
      ? undefined
      : discountId === earlier.discountId
        ? await readAgreedDiscount(db, scope, discountId, currency)
        : await readDiscountThatCounts(db, scope, { id: discountId }, currency, now);
  return { items, discountId: discount?.id ?? discountId, ...fillIn(lines, discount, sent, earlier) };
}

async function readLines(
  db: Handle,
  scope: Scope,
  { items, currency }: SentTerms,
  sold: ReadonlySet<string>,
): Promise<Line[]> {
  const named = items.flatMap(({ product_id }, index) => (product_id === undefined ? [] : [{ product_id, index }]));
  const nameOf = (at: number) => `items[${named[at]!.index}].product_id`;
  const names = named.map(({ product_id }) => product_id);
  const products = new Map<number, TaxedProductRow>();
  for (const [at, product] of (await readProductsForSale(db, scope, names, nameOf, sold)).entries()) {
    if (product.currency !== currency) {
      throw invalid(`${nameOf(at)} names a product priced in ${product.currency}, the order is in ${currency}`);
    }
    products.set(named[at]!.index, product);
  }
  const lines = items.map((sentItem, index): Line => {
    const product = products.get(index);
    const item = toItem(sentItem, product, index);
    return { item, product, priceCents: item.price_cents, qty: item.qty, taxes: product?.taxes ?? [] };
  });
  checkItems(lines.map(({ item }) => item));
  return lines;
}

function toItem(sent: SentItem, product: TaxedProductRow | undefined, index: number): OrderItem {
  const name = sent.name ?? product?.name;
  const priceCents = sent.price_cents ?? product?.price_cents;
  if (name === undefined) throw invalid(`items[${index}].name is required`);
  if (priceCents === undefined) throw invalid(`items[${index}].price_cents is required`);
  const sku = sent.sku ?? product?.sku ?? undefined;
  return {
    ...sent,
    name,
    price_cents: priceCents,
    ...(sku === undefined ? {} : { sku }),
    ...(product ? { product_id: product.id } : {}),
  };
}

function fillIn(
  lines: readonly Line[],
  discount: DiscountTerms | undefined,
  { totalCents, ...sent }: SentTerms,
  earlier: EarlierTerms,
): Pick<OrderTerms, 'taxCents' | 'discountCents' | 'pricing'> {
  const priced = priceIfPossible(lines, discount);
  const holdsDiscount = priced && showsDiscount(priced, totalCents, sent.taxCents);
  const discountCents = sent.discountCents ?? (holdsDiscount ? priced.discountCents : earlier.discountCents);
  const isByRule = priced?.totalCents === totalCents && priced.discountCents === discountCents;
  const taxCents = sent.taxCents ?? (isByRule ? priced.taxCents : earlier.taxCents);
  const byRule = isByRule && taxCents === priced.taxCents ? priced : undefined;
  const shares = shareOut(
    taxCents,
    lines.map(({ priceCents, qty }) => priceCents * qty),
  );
  return {
    taxCents,
    discountCents,
    pricing: {
      discount_name: discount?.name ?? null,
      tax_details: byRule ? [...byRule.taxDetails] : [],
      lines: lines.map(({ product }, index) => ({
        tax_rate: byRule ? byRule.lines[index]!.taxRate : null,
        tax_amount_cents: byRule ? byRule.lines[index]!.taxCents : shares[index]!,
        product_type_id: product?.product_type_id ?? null,
        product_type_name: product?.type_name ?? null,
      })),
    },
  };
}

/** Whether the total shows that the discount was taken off. */
function showsDiscount(priced: Priced, totalCents: number, taxCents = 0): boolean {
  const rest = priced.subtotalCents - priced.discountCents;
  return [priced.totalCents, rest, rest + taxCents].includes(totalCents);
}

function priceIfPossible(lines: readonly Line[], discount: DiscountTerms | undefined): Priced<Line> | undefined {
  try {
    return price(lines, discount);
  } catch (error) {
    // Tax on top may pass what a number carries; the sent total does not.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function checkItems(items: readonly OrderItem[]): void {
  let sum = 0n;
  for (const [index, { price_cents, qty }] of items.entries()) {
    const line = BigInt(price_cents) * BigInt(qty);
    if (line > BigInt(maxAmount)) throw invalid(`items[${index}] price_cents times qty must be at most ${maxAmount}`);
    sum += line;
  }
  if (sum > BigInt(maxAmount)) throw invalid(`items must come to at most ${maxAmount} in all`);
}
