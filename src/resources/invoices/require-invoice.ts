import { notFound } from '../../kernel/errors.ts';
import type { InvoiceRow } from '../../model/invoice.ts';
import type { Call } from '../../operation/operation.ts';
import { findInvoice } from '../../store/invoices.ts';

/** The caller's own invoice. @throws {AppError} 404 */
export async function requireInvoice(call: Call, id: string): Promise<InvoiceRow> {
  const invoice = await findInvoice(call.db, call.scope, id, call.now);
  if (!invoice) throw notFound('Invoice');
  return invoice;
}
