import { type Static, Type } from 'typebox';
import { draftOrder, writeNewOrder } from '../../flows/new-order.ts';
import { askForFrozen, type FrozenOrder, freezeOrder, writeFrozen } from '../../flows/order-with-invoice.ts';
import { takeCash } from '../../flows/take-cash.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { toInvoice } from '../../model/invoice.ts';
import { type OrderRow, toOrder } from '../../model/order.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findWallet } from '../../store/wallets.ts';
import { itemsInput, orderMembers, toOrderRequest, totalInput } from './order-input.ts';

const body = inputObject({
  order: inputObject({ total_amount_cents: totalInput, items: itemsInput, ...orderMembers }),
  generate_invoice: optional(Type.Boolean({ description: 'Also make a Lightning invoice and answer with it' })),
  mark_as_paid: optional(Type.Boolean({ description: 'The cash has been taken already' })),
});
type Body = Static<typeof body>;

export const createOrder = operation({
  name: 'create_order',
  summary: 'Create an order, on request with a Lightning invoice',
  description:
    'Totals stand as sent. With `generate_invoice` the merchant’s wallet makes a BOLT11 invoice in the same call. ' +
    'With `mark_as_paid` a cash order is paid at once.',
  method: 'POST',
  path: '/api/v1/m/orders',
  status: 201,
  access: { permission: 'orders:write' },
  body,
  answer: json(orderViewSchema),
  fails: ['not_found', 'amount_exceeds_wallet_limits', 'no_wallet', 'wallet_unavailable', 'rate_unavailable'],
  tool: {},
  idempotency: (input) => (input.body.generate_invoice ? 'wallet' : 'database'),

  async run(call, input) {
    const order = await draft(call, input);
    await writeNewOrder(call.db, order);
    call.afterCommit(() => call.parts.db.wake('event_recorded', order.merchant_id));
    if (!input.body.mark_as_paid) return toOrder(order);
    return toOrder((await takeCash(call.db, order, call.now)).order);
  },

  steps: {
    async prepare(call, input): Promise<FrozenOrder> {
      const order = await draft(call, input);
      return freezeOrder(call.db, order, `Order ${order.order_number}`);
    },
    ask: (call, frozen, resumed) => askForFrozen(call.parts, frozen, resumed, call.signal),
    async commit(call, frozen, issued) {
      const { order, invoice } = await writeFrozen(call.db, call.parts, frozen, issued, call.now);
      call.afterCommit(() => call.parts.db.wake('event_recorded', order.merchant_id));
      return { ...toOrder(order), invoice: toInvoice(invoice, call.now) };
    },
  },
});

async function draft(call: Call, { body }: OperationInput<Body>): Promise<OrderRow> {
  const { order, generate_invoice, mark_as_paid } = body;
  const isCash = order.tender_type === 'cash';
  if (mark_as_paid && !isCash)
    throw invalid('mark_as_paid needs tender_type cash; bitcoin orders are paid by payments');
  if (generate_invoice && isCash) throw invalid('generate_invoice needs tender_type bitcoin');
  if (order.wallet_id) await requireWallet(call, order.wallet_id);
  return draftOrder(call.db, call.parts.rates, toOrderRequest(order), {
    scope: call.scope,
    source: call.source,
    apiKeyId: call.caller.credentialId,
    now: call.now,
  });
}

async function requireWallet(call: Call, id: string): Promise<void> {
  if (!isUuid(id) || !(await findWallet(call.db, call.scope, id))) throw notFound('Wallet');
}
