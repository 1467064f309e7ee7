import { paymentRequestSchema, toPaymentRequest } from '../../model/payment-request.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOutcome, requirePaymentRequest } from './require-payment-request.ts';

export const getPaymentRequest = operation({
  name: 'get_payment_request',
  summary: 'Show a payment request',
  method: 'GET',
  path: '/api/v1/m/payment_requests/{id}',
  access: { permission: 'payments:read' },
  params: { id: 'Payment request' },
  answer: json(paymentRequestSchema),
  fails: ['not_found'],
  tool: {
    description: 'See a payment request, and whether and when it was paid.',
    rename: { id: 'payment_request_id' },
  },
  async run(call, { params }) {
    const { row, invoice } = await requirePaymentRequest(call, params.id!);
    return toPaymentRequest(row, invoice, await findOutcome(call, row, invoice));
  },
});
