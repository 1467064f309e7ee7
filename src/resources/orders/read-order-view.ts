import { showMerchant } from '../../flows/show-merchant.ts';
import { toInvoice } from '../../model/invoice.ts';
import { type OrderRow, toOrder } from '../../model/order.ts';
import type { OrderView } from '../../model/order-view.ts';
import { type PaymentRow, toPayment } from '../../model/payment.ts';
import type { Call } from '../../operation/operation.ts';
import { findCurrentInvoice, listCurrentInvoices } from '../../store/invoices.ts';
import { findPaymentOfOrder, listPaymentsOfOrders } from '../../store/payments.ts';

export const orderExpansions = ['invoice', 'payment', 'merchant'] as const;

/** An order with merchant and payment, as show and update answer it. The reads travel together. */
export async function readOrderView(
  call: Call,
  find: () => Promise<OrderRow>,
  orderId: string,
  expand: ReadonlySet<string>,
): Promise<OrderView> {
  const [order, payment, merchant, invoice] = await Promise.all([
    find(),
    findPaymentOfOrder(call.db, call.scope, orderId),
    showMerchant(call.db, call.scope),
    expand.has('invoice') ? findCurrentInvoice(call.db, orderId, call.now) : undefined,
  ]);
  return {
    ...toOrder(order),
    merchant,
    ...(payment ? { payment: toPayment(payment) } : {}),
    ...(invoice ? { invoice: toInvoice(invoice, call.now) } : {}),
  };
}

/** Orders of one page with what was asked for beside them; a fixed number of reads, whatever the page size. */
export async function toOrderViews(
  call: Call,
  orders: readonly OrderRow[],
  expand: ReadonlySet<string>,
): Promise<OrderView[]> {
  const ids = orders.map((order) => order.id);
  const [invoices, payments, merchant] = await Promise.all([
    expand.has('invoice') ? listCurrentInvoices(call.db, ids, call.now) : undefined,
    expand.has('payment') ? listPaymentsOfOrders(call.db, ids) : new Map<string, PaymentRow>(),
    expand.has('merchant') ? showMerchant(call.db, call.scope) : undefined,
  ]);
  return orders.map((order) => {
    const invoice = invoices?.get(order.id);
    const payment = payments.get(order.id);
    return {
      ...toOrder(order),
      ...(invoice ? { invoice: toInvoice(invoice, call.now) } : {}),
      ...(payment ? { payment: toPayment(payment) } : {}),
      ...(merchant ? { merchant } : {}),
    };
  });
}
