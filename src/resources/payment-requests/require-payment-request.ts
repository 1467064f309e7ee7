import { notFound } from '../../kernel/errors.ts';
import type { InvoiceRow } from '../../model/invoice.ts';
import type { PaymentRequestRow } from '../../model/payment-request.ts';
import type { Call } from '../../operation/operation.ts';
import { findInvoice } from '../../store/invoices.ts';
import { findPaymentRequest } from '../../store/payment-requests.ts';

/** The caller's own payment request and its invoice. @throws {AppError} 404 */
export async function requirePaymentRequest(
  call: Call,
  id: string,
): Promise<{ row: PaymentRequestRow; invoice: InvoiceRow }> {
  const row = await findPaymentRequest(call.db, call.scope, id);
  if (!row) throw notFound('Payment request');
  return { row, invoice: (await findInvoice(call.db, call.scope, row.invoice_id, call.now))! };
}
