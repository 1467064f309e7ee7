import type { OrderItem, OrderPricing } from './order.ts';
import { price } from './pricing.ts';
import type { SubscriptionRow } from './subscription.ts';

/** What one period costs, the discount taken off and taxes added. Amounts in minor units. */
interface Charge {
  readonly totalCents: number;
  readonly taxCents: number;
  readonly discountCents: number;
  readonly items: OrderItem[];
  readonly pricing: OrderPricing;
}

type Terms = Pick<
  SubscriptionRow,
  | 'name'
  | 'product_id'
  | 'amount_cents'
  | 'first_charge_cents'
  | 'bitcoin_discount_percent'
  | 'agreed_taxes'
  | 'current_period_start'
>;

/** Works out the next charge: the first one has a price of its own. */
export function priceCharge(terms: Terms): Charge {
  const { name, product_id, bitcoin_discount_percent: percent, agreed_taxes: agreed } = terms;
  const priceCents = terms.current_period_start === null ? terms.first_charge_cents : terms.amount_cents;
  const hasDiscount = Number(percent) > 0;
  const discount = { id: '', name: 'Paid in bitcoin', kind: 'percent' as const, percent, amountCents: null };
  const priced = price([{ priceCents, qty: 1, taxes: agreed?.taxes ?? [] }], hasDiscount ? discount : undefined);
  const { taxRate, taxCents } = priced.lines[0]!;
  return {
    totalCents: priced.totalCents,
    taxCents: priced.taxCents,
    discountCents: priced.discountCents,
    items: [{ name, price_cents: priceCents, qty: 1, ...(product_id ? { product_id } : {}) }],
    pricing: {
      discount_name: hasDiscount ? discount.name : null,
      tax_details: [...priced.taxDetails],
      lines: [
        {
          tax_rate: taxRate,
          tax_amount_cents: taxCents,
          product_type_id: agreed?.product_type_id ?? null,
          product_type_name: agreed?.product_type_name ?? null,
        },
      ],
    },
  };
}
