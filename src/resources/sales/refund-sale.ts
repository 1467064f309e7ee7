import { Type } from 'typebox';
import { refundSale as refund } from '../../flows/refund-sale.ts';
import { inputObject, optional, textInput } from '../../model/fields.ts';
import { refundSchema, toRefund } from '../../model/refund.ts';
import { json, operation } from '../../operation/operation.ts';

export const refundSale = operation({
  name: 'refund_sale',
  summary: 'Write down that you gave money back',
  description:
    'Bookkeeping: send the money yourself, from your own wallet. When all that arrived was given back the order is ' +
    'refunded and the access it gave ends; of an order that was paid twice one payment can be given back before.',
  method: 'POST',
  path: '/api/v1/m/sales/{id}/refunds',
  status: 201,
  access: { permission: 'payments:write' },
  params: { id: 'Sale' },
  body: inputObject({
    refund: inputObject({
      amount_cents: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'In minor units of the sale’s currency',
      }),
      note: optional(textInput(1000, 'Why, for your own books')),
    }),
  }),
  answer: json(refundSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const request = {
      saleId: params.id!,
      amountCents: body.refund.amount_cents,
      note: body.refund.note ?? null,
      apiKeyId: call.caller.credentialId,
    };
    const row = await refund(call.db, call.scope, request, call.now);
    return toRefund(row);
  },
});
