import { checkInvoiceStatus } from './check-invoice-status.ts';
import { generateInvoice } from './generate-invoice.ts';
import { getInvoice } from './get-invoice.ts';
import { getInvoiceQr } from './get-invoice-qr.ts';
import { simulateInvoicePayment } from './simulate-invoice-payment.ts';

export const invoiceOperations = [
  generateInvoice,
  getInvoice,
  getInvoiceQr,
  checkInvoiceStatus,
  simulateInvoicePayment,
];
