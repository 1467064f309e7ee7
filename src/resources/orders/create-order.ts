import { type Static, Type } from 'typebox';
import { toOrderPaidAtOnce } from '../../flows/confirm-at-once.ts';
import { checkAllowance, takeAllowance } from '../../flows/key-allowance.ts';
import { draftOrder, type OrderRequest, writeNewOrder } from '../../flows/new-order.ts';
import { askForFrozen, type FrozenOrder, freezeOrder, writeFrozen } from '../../flows/order-with-invoice.ts';
import { priceOrder } from '../../flows/price-order.ts';
import { takeCash } from '../../flows/take-cash.ts';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { toInvoice } from '../../model/invoice.ts';
import { type OrderRow, toOrder } from '../../model/order.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findWallet } from '../../store/wallets.ts';
import {
  itemsInput,
  type OrderBody,
  orderMembers,
  toItems,
  toOrderMembers,
  toolItemsInput,
  totalInput,
} from './order-input.ts';
import { orderTool } from './order-tool.ts';

const beside = {
  generate_invoice: optional(Type.Boolean({ description: 'Also make a Lightning invoice and answer with it' })),
  mark_as_paid: optional(Type.Boolean({ description: 'The cash has been taken already' })),
};
const body = inputObject({
  order: inputObject({ total_amount_cents: totalInput, items: itemsInput, ...orderMembers }),
  ...beside,
});
const toolBody = inputObject({
  order: inputObject({ total_amount_cents: optional(totalInput), items: toolItemsInput, ...orderMembers }),
  ...beside,
});
type Body = Static<typeof toolBody>;

export const createOrder = operation({
  name: 'create_order',
  summary: 'Create an order, on request with a Lightning invoice',
  description:
    'Totals stand as sent; products and a discount that are named must count now. With `generate_invoice` the merchant’s ' +
    'wallet makes a BOLT11 invoice in the same call. With `mark_as_paid` a cash order is paid at once.',
  method: 'POST',
  path: '/api/v1/m/orders',
  status: 201,
  access: { permission: 'orders:write' },
  body,
  answer: json(orderViewSchema),
  fails: [
    'not_found',
    'amount_exceeds_wallet_limits',
    'no_wallet',
    'volume_exceeded',
    'wallet_unavailable',
    'rate_unavailable',
  ],
  tool: { ...orderTool, body: toolBody },
  idempotency: (input) => (input.body.generate_invoice ? 'wallet' : 'database'),

  async run(call, input) {
    const order = await draft(call, input);
    const committed = input.body.mark_as_paid ? toOrderPaidAtOnce(order, 'cash', call.now) : order;
    await writeNewOrder(call.db, order, committed);
    await takeAllowance(call, toAsked(order));
    if (!input.body.mark_as_paid) return toOrder(order);
    return toOrder((await takeCash(call.db, order, call.now)).order);
  },

  steps: {
    async prepare(call, input): Promise<FrozenOrder> {
      const order = await draft(call, input);
      await checkAllowance(call, toAsked(order));
      return freezeOrder(call.db, order, `Order ${order.order_number}`);
    },
    ask: (call, frozen) => askForFrozen(call.parts, frozen, call.signal),
    async commit(call, frozen, issued) {
      const { order, invoice } = await writeFrozen(call.db, call.parts, frozen, issued, call.now);
      await takeAllowance(call, toAsked(order));
      return { ...toOrder(order), invoice: toInvoice(invoice, call.now) };
    },
  },
});

const toAsked = ({ total_amount_cents: amountCents, currency }: OrderRow) => ({ amountCents, currency });

async function draft(call: Call, { body }: OperationInput<Body>): Promise<OrderRow> {
  const { order, generate_invoice, mark_as_paid } = body;
  const isCash = order.tender_type === 'cash';
  if (mark_as_paid && !isCash)
    throw invalid('mark_as_paid needs tender_type cash; bitcoin orders are paid by payments');
  if (generate_invoice && isCash) throw invalid('generate_invoice needs tender_type bitcoin');
  const walletId = order.wallet_id == null ? null : await requireWallet(call, order.wallet_id);
  const request = { ...(await toRequest(call, order)), walletId };
  return draftOrder(call.db, call.parts.rates, request, {
    scope: call.scope,
    source: call.source,
    apiKeyId: call.caller.credentialId,
    now: call.now,
  });
}

/** A total that was sent stands; without one, which only a tool may leave out, the catalog says what its products cost. */
async function toRequest(call: Call, order: OrderBody): Promise<OrderRequest> {
  const members = toOrderMembers(order);
  const { total_amount_cents: totalAmountCents, items, currency, discount_id: discountId } = order;
  const { tax_amount_cents: taxAmountCents, discount_amount_cents: discountAmountCents } = order;
  if (totalAmountCents != null) {
    const amounts = { totalAmountCents, taxAmountCents, discountAmountCents };
    return { ...members, ...amounts, currency, discountId, items: toItems(items) };
  }
  const lines = items.flatMap(({ product_id, qty }) => (product_id ? [{ product: product_id, qty }] : []));
  if (lines.length < items.length) {
    throw invalid('total_amount_cents is required unless every item names a product_id');
  }
  if (taxAmountCents != null || discountAmountCents != null) {
    throw invalid('tax_amount_cents and discount_amount_cents belong to a total; without one the catalog has them');
  }
  const discount = discountId == null ? undefined : { id: discountId };
  const nameOf = (line: number) => `items[${line}].product_id`;
  const priced = await priceOrder(call.db, call.scope, { lines, discount, nameOf }, call.now);
  if (currency != null && parseCurrency(currency) !== priced.currency) {
    throw invalid(`currency must be ${priced.currency}, the products are priced in it`);
  }
  return {
    ...members,
    totalAmountCents: priced.totalCents,
    taxAmountCents: priced.taxCents,
    discountAmountCents: priced.discountCents,
    discountId: priced.discountId,
    currency: priced.currency,
    items: priced.items,
    pricing: priced.pricing,
  };
}

/** @returns the id as it is printed. @throws {AppError} 404 */
async function requireWallet(call: Call, id: string): Promise<string> {
  const wallet = isUuid(id) ? await findWallet(call.db, call.scope, id) : undefined;
  if (!wallet) throw notFound('Wallet');
  return wallet.id;
}
