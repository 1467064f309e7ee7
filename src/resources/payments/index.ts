import { getPayment } from './get-payment.ts';
import { listPayments } from './list-payments.ts';

export const paymentOperations = [listPayments, getPayment];
