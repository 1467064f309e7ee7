import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { notFound } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import type { OrderRow, TenderType } from '../model/order.ts';
import { findWallet } from '../store/wallets.ts';
import { readSentTerms, type SentItem } from './read-sent-terms.ts';

/** Members as the wire names them; undefined and null both leave a member as it is, except that null clears text. */
export interface OrderChange {
  total_amount_cents?: number | undefined;
  tax_amount_cents?: number | null | undefined;
  discount_amount_cents?: number | null | undefined;
  currency?: string | null | undefined;
  items?: readonly SentItem[] | undefined;
  tender_type?: TenderType | null | undefined;
  customer_email?: string | null | undefined;
  po_number?: string | null | undefined;
  channel_id?: string | null | undefined;
  discount_id?: string | null | undefined;
  wallet_id?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
  status?: 'paid' | 'pending' | 'shipped' | 'delivered' | undefined;
}

/** What an order's members are after a change. @throws {AppError} 404 and 422 for what the change names. */
export async function mergeOrderChange(
  tx: Handle,
  scope: Scope,
  order: OrderRow,
  change: OrderChange,
  now: Date,
): Promise<Partial<OrderRow>> {
  const tender = change.tender_type ?? order.tender_type;
  const members: Partial<OrderRow> = {
    total_amount_cents: change.total_amount_cents ?? order.total_amount_cents,
    currency: parseCurrency(change.currency) ?? order.currency,
    ...(changesTerms(order, change) ? await termsOf(tx, scope, order, change, now) : {}),
    tender_type: tender,
    customer_email: change.customer_email === undefined ? order.customer_email : change.customer_email,
    po_number: change.po_number ?? order.po_number,
    channel_id: change.channel_id === undefined ? order.channel_id : change.channel_id,
    metadata: change.metadata ?? order.metadata,
  };
  if (tender === 'cash' && order.status === 'pending') return { ...members, wallet_id: null, wallet_pinned: false };
  if (change.wallet_id == null) return members;
  if (!isUuid(change.wallet_id) || !(await findWallet(tx, scope, change.wallet_id))) throw notFound('Wallet');
  return { ...members, wallet_id: change.wallet_id.toLowerCase(), wallet_pinned: true };
}

/** Whether the change touches what is sold or what it comes to. */
export function changesTerms(order: OrderRow, change: OrderChange): boolean {
  return (
    change.items !== undefined ||
    (change.discount_id !== undefined && change.discount_id !== order.discount_id) ||
    (parseCurrency(change.currency) ?? order.currency) !== order.currency ||
    (['total_amount_cents', 'tax_amount_cents', 'discount_amount_cents'] as const).some(
      (figure) => (change[figure] ?? order[figure]) !== order[figure],
    )
  );
}

/**
 * The merchant's own figures stand in place of what the service worked out; what is left out stays as it is. What the
 * catalog had filled in was never sent, so that it follows a change that comes to what the catalog makes of it.
 */
async function termsOf(
  tx: Handle,
  scope: Scope,
  order: OrderRow,
  change: OrderChange,
  now: Date,
): Promise<Partial<OrderRow>> {
  const discountId = change.discount_id === undefined ? order.discount_id : change.discount_id;
  const isNewDiscount = discountId !== null && discountId !== order.discount_id;
  const left = addsUp(order) ? undefined : order;
  const sent = {
    items: change.items ?? order.items,
    currency: parseCurrency(change.currency) ?? order.currency,
    totalCents: change.total_amount_cents ?? order.total_amount_cents,
    taxCents: change.tax_amount_cents ?? left?.tax_amount_cents,
    discountCents: change.discount_amount_cents ?? (isNewDiscount ? undefined : left?.discount_amount_cents),
    discountId,
  };
  const terms = await readSentTerms(tx, scope, sent, now, {
    productIds: new Set(order.items.flatMap(({ product_id }) => (product_id ? [product_id] : []))),
    discountId: order.discount_id,
    taxCents: order.tax_amount_cents,
    discountCents: isNewDiscount ? 0 : order.discount_amount_cents,
  });
  return {
    items: terms.items,
    tax_amount_cents: terms.taxCents,
    discount_amount_cents: terms.discountCents,
    discount_id: terms.discountId,
    pricing: terms.pricing,
  };
}

/** Whether items, discount and tax by name come to the order's total, as they do by the catalog. */
function addsUp({ items, pricing, ...order }: OrderRow): boolean {
  const details = pricing?.tax_details ?? [];
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const addedCents = sum(details.map(({ inclusive, amount_cents }) => (inclusive ? 0 : amount_cents)));
  const subtotalCents = sum(items.map(({ price_cents, qty }) => price_cents * qty));
  return (
    sum(details.map(({ amount_cents }) => amount_cents)) === order.tax_amount_cents &&
    subtotalCents - order.discount_amount_cents + addedCents === order.total_amount_cents
  );
}
