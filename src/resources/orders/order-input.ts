import { type Static, type TObject, Type } from 'typebox';
import type { SentItem } from '../../flows/read-sent-terms.ts';
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
import { tenderTypes } from '../../model/order.ts';

const maxItems = 500;

const name = nameInput('What is sold');
const priceCents = centsInput('Price of one');
const itemMembers = {
  qty: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'How many' }),
  description: optional(textInput(2000, 'More about it')),
  sku: optional(textInput(200, 'Stock keeping unit')),
  product_id: optional(textInput(200, 'Id or slug of a product in the catalog, which must be for sale')),
};

/** The members that create and update share. */
export const orderMembers = {
  tax_amount_cents: optional(centsInput('Tax within the total')),
  discount_amount_cents: optional(centsInput('Discount already taken off the total')),
  currency: optional(currencyInput),
  customer_email: optional(emailInput),
  po_number: optional(textInput(200, 'Your own reference; the order number if left out')),
  tender_type: optional(oneOf(tenderTypes, 'What it is paid with; bitcoin if left out when it is made')),
  channel_id: optional(textInput(200, 'Channel')),
  discount_id: optional(textInput(64, 'A discount of the catalog that counts now')),
  wallet_id: optional(textInput(64, 'The only wallet that may take the payment')),
  metadata: optional(metadataInput),
};

export const totalInput = centsInput('Total; stands as sent, items need not add up to it');
const items = { minItems: 1, maxItems, description: 'What is sold' };
export const itemsInput = Type.Array(inputObject({ name, price_cents: priceCents, ...itemMembers }), items);
/** Over MCP a product says its own name and price. */
export const toolItemsInput = Type.Array(
  inputObject({ name: optional(name), price_cents: optional(priceCents), ...itemMembers }),
  items,
);

type ItemBody = Static<typeof toolItemsInput>[number];

/** Items without the members that were not given. */
export function toItems(items: readonly ItemBody[]): SentItem[] {
  return items.map(({ name, price_cents, qty, description, sku, product_id }) => ({
    ...(name == null ? {} : { name }),
    ...(price_cents == null ? {} : { price_cents }),
    qty,
    ...(description ? { description } : {}),
    ...(sku ? { sku } : {}),
    ...(product_id ? { product_id } : {}),
  }));
}

export type OrderBody = Static<TObject<typeof orderMembers>> & {
  total_amount_cents?: number | null;
  items: readonly ItemBody[];
};

/** What of an order has nothing to do with its price. */
export function toOrderMembers(order: OrderBody) {
  return {
    tenderType: order.tender_type,
    customerEmail: order.customer_email,
    poNumber: order.po_number,
    channelId: order.channel_id,
    metadata: order.metadata,
  };
}
