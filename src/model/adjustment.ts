import { maxAmount } from '../kernel/money.ts';
import type { OrderRow } from './order.ts';

type Terms = Pick<OrderRow, 'items' | 'pricing' | 'total_amount_cents' | 'discount_amount_cents' | 'tax_amount_cents'>;

/**
 * What was sold, and what it comes to before discount and tax. A total that was sent and differs gets one line "Adjustment",
 * so that the lines always add up. Tax without detail may be inside the items' prices or on top: when lines less discount
 * plus tax is the total it was on top, otherwise it counts as inside.
 */
export function withAdjustment(order: Terms): { items: OrderRow['items']; subtotalCents: number } {
  const { items, total_amount_cents: total, discount_amount_cents: discount, tax_amount_cents: tax } = order;
  const sum = items.reduce((all, { price_cents, qty }) => all + price_cents * qty, 0);
  const details = order.pricing?.tax_details ?? [];
  const detailedOnTop = details.reduce((all, detail) => (detail.inclusive ? all : all + detail.amount_cents), 0);
  const onTop = details.length > 0 ? detailedOnTop : sum - discount + tax === total ? tax : 0;
  // Amounts that were sent may come to more than a JSON number carries; the books then say the most it does.
  const subtotalCents = Math.min(total + discount - onTop, maxAmount);
  const adjustment = subtotalCents - sum;
  if (adjustment === 0) return { items, subtotalCents };
  return { items: [...items, { name: 'Adjustment', qty: 1, price_cents: adjustment }], subtotalCents };
}
