import { createPaymentRequest } from './create-payment-request.ts';
import { getPaymentRequest } from './get-payment-request.ts';
import { getPaymentRequestStatus } from './get-payment-request-status.ts';
import { simulatePaymentRequestPayment } from './simulate-payment-request-payment.ts';

export const paymentRequestOperations = [
  createPaymentRequest,
  getPaymentRequest,
  getPaymentRequestStatus,
  simulatePaymentRequestPayment,
];
