import { showMerchant, toShownMerchant } from '../../flows/show-merchant.ts';
import { notFound } from '../../kernel/errors.ts';
import { toInvoice } from '../../model/invoice.ts';
import { type OrderRow, toOrder } from '../../model/order.ts';
import type { OrderView } from '../../model/order-view.ts';
import { type PaymentRow, toPayment } from '../../model/payment.ts';
import type { Call } from '../../operation/operation.ts';
import { findCurrentInvoice, listCurrentInvoices } from '../../store/invoices.ts';
import { findOrderView } from '../../store/order-views.ts';
import { listPaymentsOfOrders } from '../../store/payments.ts';

export const orderExpansions = ['invoice', 'payment', 'merchant'] as const;

/**
 * An order with merchant and payment, as show and update answer it.
 * @param changed the order as this transaction has just written it.
 * @throws {AppError} 404 when it is not the caller's.
 */
export async function readOrderView(
  call: Call,
  orderId: string,
  expand: ReadonlySet<string>,
  changed?: OrderRow,
): Promise<OrderView> {
  const found = await findOrderView(call.db, call.scope, orderId);
  if (!found) throw notFound('Order');
  const { order, payment, merchant } = found;
  const view: OrderView = toOrder(changed ?? order);
  view.merchant = toShownMerchant(merchant, call.scope);
  if (payment) view.payment = toPayment(payment);
  if (!expand.has('invoice')) return view;
  const invoice = await findCurrentInvoice(call.db, orderId, call.now);
  if (invoice) view.invoice = toInvoice(invoice, call.now);
  return view;
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
