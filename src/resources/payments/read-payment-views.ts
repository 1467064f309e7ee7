import { toInvoice } from '../../model/invoice.ts';
import { toOrder } from '../../model/order.ts';
import { type PaymentRow, toPayment } from '../../model/payment.ts';
import type { PaymentView } from '../../model/payment-view.ts';
import type { Call } from '../../operation/operation.ts';
import { listInvoicesById } from '../../store/invoices.ts';
import { listOrdersById } from '../../store/orders.ts';

/** Payments with their orders and invoices; two more reads, whatever the number. */
export async function readPaymentViews(call: Call, payments: readonly PaymentRow[]): Promise<PaymentView[]> {
  const invoiceIds = payments.map((payment) => payment.invoice_id).filter((id) => id !== null);
  const [orders, invoices] = await Promise.all([
    listOrdersById(
      call.db,
      payments.map((payment) => payment.order_id),
    ),
    listInvoicesById(call.db, invoiceIds, call.now),
  ]);
  return payments.map((payment) => {
    const invoice = payment.invoice_id === null ? undefined : invoices.get(payment.invoice_id);
    return {
      ...toPayment(payment),
      order: toOrder(orders.get(payment.order_id)!),
      invoice: invoice ? toInvoice(invoice, call.now) : null,
    };
  });
}
