import { Type } from 'typebox';
import type { OrderRequest } from '../../flows/new-order.ts';
import {
  centsInput,
  currencyInput,
  emailInput,
  inputObject,
  metadataInput,
  nameInput,
  oneOf,
  optional,
  textInput,
} from '../../model/fields.ts';
import { type OrderItem, tenderTypes } from '../../model/order.ts';

const maxItems = 500;

const itemInput = inputObject({
  name: nameInput('What is sold'),
  price_cents: centsInput('Price of one'),
  qty: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'How many' }),
  description: optional(textInput(2000, 'More about it')),
  sku: optional(textInput(200, 'Stock keeping unit')),
  product_id: optional(textInput(200, 'Product id or slug')),
});

/** The members that create and update share. */
export const orderMembers = {
  tax_amount_cents: optional(centsInput('Tax within the total')),
  discount_amount_cents: optional(centsInput('Discount already taken off the total')),
  currency: optional(currencyInput),
  customer_email: optional(emailInput),
  po_number: optional(textInput(200, 'Your own reference; the order number if left out')),
  tender_type: optional(oneOf(tenderTypes)),
  channel_id: optional(textInput(200, 'Channel')),
  discount_id: optional(textInput(200, 'Discount')),
  wallet_id: optional(textInput(64, 'The only wallet that may take the payment')),
  metadata: optional(metadataInput),
};

export const totalInput = centsInput('Total; stands as sent, items need not add up to it');
export const itemsInput = Type.Array(itemInput, { minItems: 1, maxItems, description: 'What is sold' });

type ItemBody = {
  name: string;
  price_cents: number;
  qty: number;
  description?: string | null;
  sku?: string | null;
  product_id?: string | null;
};

/** Items as stored: members that were not given stay away. */
export function toItems(items: readonly ItemBody[]): OrderItem[] {
  return items.map(({ name, price_cents, qty, description, sku, product_id }) => ({
    name,
    price_cents,
    qty,
    ...(description ? { description } : {}),
    ...(sku ? { sku } : {}),
    ...(product_id ? { product_id } : {}),
  }));
}

interface OrderBody {
  total_amount_cents: number;
  items: readonly ItemBody[];
  tax_amount_cents?: number | null;
  discount_amount_cents?: number | null;
  currency?: string | null;
  customer_email?: string | null;
  po_number?: string | null;
  tender_type?: 'bitcoin' | 'cash' | null;
  channel_id?: string | null;
  discount_id?: string | null;
  wallet_id?: string | null;
  metadata?: Record<string, unknown> | null;
}

export function toOrderRequest(order: OrderBody): OrderRequest {
  return {
    totalAmountCents: order.total_amount_cents,
    taxAmountCents: order.tax_amount_cents,
    discountAmountCents: order.discount_amount_cents,
    currency: order.currency,
    items: toItems(order.items),
    tenderType: order.tender_type,
    customerEmail: order.customer_email,
    poNumber: order.po_number,
    channelId: order.channel_id,
    discountId: order.discount_id,
    walletId: order.wallet_id,
    metadata: order.metadata,
  };
}
