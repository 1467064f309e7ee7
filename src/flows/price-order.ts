import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid } from '../kernel/errors.ts';
import { maxAmount } from '../kernel/money.ts';
import type { OrderItem, OrderPricing } from '../model/order.ts';
import { type DiscountTerms, type LineTerms, price } from '../model/pricing.ts';
import type { ProductRow } from '../model/product.ts';
import type { TaxedProductRow } from '../store/products.ts';
import { type NamedDiscount, readDiscountThatCounts, readProductsForSale } from './catalog-terms.ts';

/** What somebody wants to buy; amounts are the catalog's. */
interface Basket {
  /** Products by UUID or slug. */
  readonly lines: readonly { readonly product: string; readonly qty: number }[];
  /** At most one. */
  readonly discount?: NamedDiscount | undefined;
  /** How an error calls the product of a line; `product_id` unless there are several. */
  readonly nameOf?: (line: number) => string;
}

/** What a basket costs: everything an order needs to know, in the currency of its products. */
interface PricedOrder {
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
  readonly product: TaxedProductRow;
}

/**
 * Prices products by the catalog as it is now; the rule itself is model/pricing.ts.
 * @throws {AppError} 404 for a product of nobody or somebody else; 422 for one that is not for sale, products of several
 * currencies, a discount that does not count now, or a total beyond 2^53-1.
 */
export async function priceOrder(db: Handle, scope: Scope, basket: Basket, now: Date): Promise<PricedOrder> {
  const names = basket.lines.map(({ product }) => product);
  const products = await readProductsForSale(db, scope, names, basket.nameOf ?? (() => 'product_id'));
  const lines = products.map((product, index): ProductLine => {
    return { product, priceCents: product.price_cents, qty: basket.lines[index]!.qty, taxes: product.taxes };
  });
  const { currency } = lines[0]!.product;
  if (lines.some(({ product }) => product.currency !== currency)) {
    throw invalid('products of one order must have the same currency');
  }
  const discount = basket.discount
    ? await readDiscountThatCounts(db, scope, basket.discount, currency, now)
    : undefined;
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
        product_type_name: line.product.type_name,
      })),
    },
    products,
  };
}

function priceWithin(lines: readonly ProductLine[], discount: DiscountTerms | undefined) {
  try {
    return price(lines, discount);
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`the total must be at most ${maxAmount}`);
    throw error;
  }
}
