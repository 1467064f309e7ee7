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
  async run(call, { params, body }) {
    const { invoice } = await requirePaymentRequest(call, params.id!);
    const outcome = await simulatePayment(call.parts, call.scope, invoice.id, toPayer(body), call.signal);
    return toSimulatedPayment(invoice.id, outcome);
  },
});
