import { toInvoice } from '../../model/invoice.ts';
import { invoiceViewSchema } from '../../model/invoice-view.ts';
import { toOrder } from '../../model/order.ts';
import { json, operation } from '../../operation/operation.ts';
import { findOrder } from '../../store/orders.ts';
import { requireInvoice } from './require-invoice.ts';

export const getInvoice = operation({
  name: 'get_invoice',
  summary: 'Show an invoice with its order',
  method: 'GET',
  path: '/api/v1/m/invoices/{id}',
  access: { permission: 'orders:read' },
  params: { id: 'Invoice' },
  answer: json(invoiceViewSchema),
  fails: ['not_found'],
  tool: {
    description: 'See an invoice with its order and its payment_request, the text that the customer pays.',
    rename: { id: 'invoice_id' },
  },
  async run(call, { params }) {
    const invoice = await requireInvoice(call, params.id!);
    const order = await findOrder(call.db, call.scope, invoice.order_id);
    return { ...toInvoice(invoice, call.now), order: toOrder(order!) };
  },
});
