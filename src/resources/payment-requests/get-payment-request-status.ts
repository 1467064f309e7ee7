import { waitForLook } from '../../flows/wait-for-look.ts';
import { paymentRequestStatusSchema, toPaymentRequest } from '../../model/payment-request.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOutcome, requirePaymentRequest } from './require-payment-request.ts';

export const getPaymentRequestStatus = operation({
  name: 'get_payment_request_status',
  summary: 'Whether a payment request is paid',
  description: 'Has the wallet asked first when nobody has for a second; waits at most 2 s for its answer.',
  method: 'GET',
  path: '/api/v1/m/payment_requests/{id}/status',
  access: { permission: 'payments:read' },
  params: { id: 'Payment request' },
  answer: json(paymentRequestStatusSchema),
  fails: ['not_found'],
  tool: {
    description: 'See just whether a payment request has been paid. Call it every few seconds while a customer pays.',
    rename: { id: 'payment_request_id' },
  },
  async run(call, { params }) {
    const { row, invoice } = await requirePaymentRequest(call, params.id!);
    const fresh = await waitForLook(call.parts, invoice);
    return toPaymentRequest(row, fresh, await findOutcome(call, row, fresh));
  },
});
