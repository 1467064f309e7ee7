import { Type } from 'typebox';
import { simulatePayment } from '../../flows/simulate-payment.ts';
import { inputObject, objectName, optional, timestamp, uuid } from '../../model/fields.ts';
import { paymentSchema, toPayment } from '../../model/payment.ts';
import { json, operation } from '../../operation/operation.ts';

const mostSeconds = 7 * 24 * 3600;

const body = inputObject({
  after_seconds: optional(Type.Integer({ minimum: 0, maximum: mostSeconds, description: 'Pay this much later' })),
  amount_sats: optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_100_000_000_000_000,
      description: 'What the payer sends, if not the amount asked for',
    }),
  ),
});

const scheduledSchema = Type.Object(
  {
    object: objectName('scheduled_payment'),
    invoice_id: uuid('Invoice'),
    settles_at: timestamp('When the simulated payer pays'),
  },
  { description: 'A simulated payment that comes later' },
);

export const simulateInvoicePayment = operation({
  name: 'simulate_invoice_payment',
  summary: 'Pay a test invoice of the simulated wallet',
  description: 'Test keys only. Answers the payment; paying again answers the same one.',
  method: 'POST',
  path: '/api/v1/m/invoices/{id}/simulate_payment',
  access: { permission: 'orders:write', testOnly: true },
  params: { id: 'Invoice' },
  body,
  answer: json(Type.Union([paymentSchema, scheduledSchema])),
  fails: ['not_found', 'wallet_unavailable'],
  tool: false,
  async run(call, { params, body }) {
    const payer = { afterSeconds: body.after_seconds ?? 0, amountSats: body.amount_sats ?? undefined };
    const outcome = await simulatePayment(call.parts, call.scope, params.id!, payer, call.signal);
    if ('payment' in outcome) return toPayment(outcome.payment);
    return { object: 'scheduled_payment', invoice_id: params.id, settles_at: outcome.settlesAt.toISOString() };
  },
});
