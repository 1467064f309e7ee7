import { simulatedPayment } from '../../operation/simulated-payment.ts';
import { requirePaymentRequest } from './require-payment-request.ts';

export const simulatePaymentRequestPayment = simulatedPayment({
  name: 'simulate_payment_request_payment',
  summary: 'Pay a test payment request of the simulated wallet',
  path: '/api/v1/m/payment_requests/{id}/simulate_payment',
  resource: 'Payment request',
  permission: 'payments:write',
  findInvoiceId: async (call, id) => (await requirePaymentRequest(call, id)).invoice.id,
});
