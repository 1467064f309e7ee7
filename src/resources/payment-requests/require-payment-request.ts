import { notFound } from '../../kernel/errors.ts';
import type { InvoiceRow } from '../../model/invoice.ts';
import type { PaymentRow } from '../../model/payment.ts';
import type { PaymentRequestOutcome, PaymentRequestRow } from '../../model/payment-request.ts';
import { addUpReceived } from '../../model/received.ts';
import type { Call } from '../../operation/operation.ts';
import { findInvoice } from '../../store/invoices.ts';
import { findOrder } from '../../store/orders.ts';
import { findPaymentRequest } from '../../store/payment-requests.ts';
import { findPaymentOfInvoice, listPaymentsOfOrder } from '../../store/payments.ts';

/** The caller's own payment request and its invoice. @throws {AppError} 404 */
export async function requirePaymentRequest(
  call: Call,
  id: string,
): Promise<{ row: PaymentRequestRow; invoice: InvoiceRow }> {
  const row = await findPaymentRequest(call.db, call.scope, id);
  if (!row) throw notFound('Payment request');
  return { row, invoice: (await findInvoice(call.db, call.scope, row.invoice_id, call.now))! };
}

/** undefined while nothing has paid it. */
export async function findOutcome(
  call: Call,
  row: PaymentRequestRow,
  invoice: InvoiceRow,
): Promise<PaymentRequestOutcome | undefined> {
  if (invoice.paid_at) {
    return { paidAt: invoice.paid_at, amountSats: (await findPaymentOfInvoice(call.db, invoice.id))!.amount_sats };
  }
  const other = await findOtherPayments(call, row);
  return other && { paidAt: other.paidAt, amountSats: addUpReceived(other.payments, other.currency).amount_sats };
}

/** What paid the order in place of the request's own invoice: a newer one, or cash. */
export async function findOtherPayments(
  call: Call,
  row: PaymentRequestRow,
): Promise<{ paidAt: Date; currency: string; payments: PaymentRow[] } | undefined> {
  const { paid_at: paidAt, currency } = (await findOrder(call.db, call.scope, row.order_id))!;
  return paidAt ? { paidAt, currency, payments: await listPaymentsOfOrder(call.db, row.order_id) } : undefined;
}
