import { Type } from 'typebox';
import { changeOrder } from '../../flows/change-order.ts';
import { takeAllowance } from '../../flows/key-allowance.ts';
import { inputObject, oneOf, optional } from '../../model/fields.ts';
import type { OrderRow } from '../../model/order.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import { type Call, json, operation } from '../../operation/operation.ts';
import { lockOrder } from '../../store/orders.ts';
import { itemsInput, orderMembers, toItems, totalInput } from './order-input.ts';
import { readOrderView } from './read-order-view.ts';

const body = inputObject({
  order: inputObject({
    total_amount_cents: Type.Optional(totalInput),
    items: Type.Optional(itemsInput),
    status: optional(
      oneOf(
        ['paid', 'pending', 'shipped', 'delivered'],
        'paid: the cash has been taken; shipped or delivered: where the goods of a paid order are',
      ),
    ),
    ...orderMembers,
  }),
  mark_as_paid: optional(Type.Boolean({ description: 'The cash has been taken' })),
});

export const updateOrder = operation({
  name: 'update_order',
  summary: 'Change an order, or mark a cash order as paid',
  description:
    'Members that are left out stay as they are; `metadata` and `items` are replaced whole. Tax and discount that the ' +
    'catalog filled in follow a total and items that it comes to as well. A changed total, currency or ' +
    'tender closes the open invoice; a payment that still comes for it counts for what it was quoted for, in the new ' +
    'currency. The currency cannot change after a payment, nor on an order of a subscription. Of a paid order only ' +
    'metadata and po_number can change.',
  method: 'PATCH',
  path: '/api/v1/m/orders/{id}',
  access: { permission: 'orders:write' },
  params: { id: 'Order' },
  body,
  answer: json(orderViewSchema),
  fails: ['not_found', 'conflict', 'volume_exceeded', 'rate_unavailable'],
  tool: {
    description:
      'Change an order that is not paid yet, mark a cash order as paid (status paid), or say that a paid ' +
      'one was shipped or delivered. What is left out stays as it is; items and metadata are replaced ' +
      'whole. After a changed total, currency or tender the invoice no longer fits: call generate_invoice for a new one.',
    rename: { id: 'order_id' },
  },
  idempotency: 'database',
  async run(call, { params, body }) {
    const { items, status, ...members } = body.order;
    const before = call.caller.allowance && (await lockOrder(call.db, call.scope, params.id!));
    const order = await changeOrder(
      call.db,
      call.parts.rates,
      call.scope,
      params.id!,
      {
        ...members,
        ...(items ? { items: toItems(items) } : {}),
        status: body.mark_as_paid ? 'paid' : (status ?? undefined),
      },
      call.now,
    );
    if (before) await takeRise(call, before, order);
    return readOrderView(call, order.id, new Set(), order);
  },
});

/** An order that asks for no more than before takes nothing of what the key may ask for. */
async function takeRise(call: Call, before: OrderRow, { currency, total_amount_cents: amountCents }: OrderRow) {
  const addedCents = currency === before.currency ? amountCents - before.total_amount_cents : amountCents;
  if (addedCents > 0) await takeAllowance(call, { amountCents, currency, addedCents });
}
