import { simulatedPayment } from '../../operation/simulated-payment.ts';

export const simulateInvoicePayment = simulatedPayment({
  name: 'simulate_invoice_payment',
  summary: 'Pay a test invoice of the simulated wallet',
  path: '/api/v1/m/invoices/{id}/simulate_payment',
  resource: 'Invoice',
  permission: 'orders:write',
  findInvoiceId: async (_call, id) => id,
});
