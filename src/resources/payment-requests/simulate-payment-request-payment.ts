import { simulatePayment } from '../../flows/simulate-payment.ts';
import {
  simulatedPayerInput,
  simulatedPaymentSchema,
  toPayer,
  toSimulatedPayment,
} from '../../model/simulated-payment.ts';
import { json, operation } from '../../operation/operation.ts';
import { requirePaymentRequest } from './require-payment-request.ts';

export const simulatePaymentRequestPayment = operation({
  name: 'simulate_payment_request_payment',
  summary: 'Pay a test payment request of the simulated wallet',
  description: 'Test keys only. Answers the payment; paying again answers the same one.',
  method: 'POST',
  path: '/api/v1/m/payment_requests/{id}/simulate_payment',
  access: { permission: 'payments:write', testOnly: true },
  params: { id: 'Payment request' },
  body: simulatedPayerInput,
  answer: json(simulatedPaymentSchema),
  fails: ['not_found', 'wallet_unavailable'],
  tool: false,
  // It settles in transactions of its own, as the watcher does.
  idempotency: 'wallet',
  steps: {
    async prepare(call, { params, body }) {
      const { invoice } = await requirePaymentRequest(call, params.id!);
      return { invoiceId: invoice.id, payer: toPayer(body) };
    },
    async ask(call, { invoiceId, payer }) {
      return simulatePayment(call.parts, call.scope, invoiceId, payer, call.signal);
    },
    async commit(_call, { invoiceId }, outcome) {
      return toSimulatedPayment(invoiceId, outcome);
    },
  },
});
