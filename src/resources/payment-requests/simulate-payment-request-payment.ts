import { simulatedPayment } from '../../operation/simulated-payment.ts';
import { findOtherPayments, requirePaymentRequest } from './require-payment-request.ts';

export const simulatePaymentRequestPayment = simulatedPayment({
  name: 'simulate_payment_request_payment',
  summary: 'Pay a test payment request of the simulated wallet',
  path: '/api/v1/m/payment_requests/{id}/simulate_payment',
  resource: 'Payment request',
  permission: 'payments:write',
  async findInvoiceId(call, id) {
    const { row, invoice } = await requirePaymentRequest(call, id);
    const other = invoice.paid_at ? undefined : await findOtherPayments(call, row);
    return other?.payments.at(-1)?.invoice_id ?? invoice.id;
  },
});
