import { simulatePayment } from '../../flows/simulate-payment.ts';
import {
  simulatedPayerInput,
  simulatedPaymentSchema,
  toPayer,
  toSimulatedPayment,
} from '../../model/simulated-payment.ts';
import { json, operation } from '../../operation/operation.ts';

export const simulateInvoicePayment = operation({
  name: 'simulate_invoice_payment',
  summary: 'Pay a test invoice of the simulated wallet',
  description: 'Test keys only. Answers the payment; paying again answers the same one.',
  method: 'POST',
  path: '/api/v1/m/invoices/{id}/simulate_payment',
  access: { permission: 'orders:write', testOnly: true },
  params: { id: 'Invoice' },
  body: simulatedPayerInput,
  answer: json(simulatedPaymentSchema),
  fails: ['not_found', 'wallet_unavailable'],
  tool: false,
  // It settles in transactions of its own, as the watcher does.
  idempotency: 'wallet',
  steps: {
    async prepare(_call, { params, body }) {
      return { invoiceId: params.id!, payer: toPayer(body) };
    },
    async ask(call, { invoiceId, payer }) {
      return simulatePayment(call.parts, call.scope, invoiceId, payer, call.signal);
    },
    async commit(_call, { invoiceId }, outcome) {
      return toSimulatedPayment(invoiceId, outcome);
    },
  },
});
