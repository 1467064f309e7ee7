import { waitForLook } from '../../flows/wait-for-look.ts';
import { invoiceStatusViewSchema, toInvoiceStatusView } from '../../model/invoice-view.ts';
import { json, operation } from '../../operation/operation.ts';
import { findPaymentOfInvoice } from '../../store/payments.ts';
import { requireInvoice } from './require-invoice.ts';

export const checkInvoiceStatus = operation({
  name: 'check_invoice_status',
  summary: 'Whether an invoice is paid',
  description: 'Has the wallet asked first when nobody has for a second; waits at most 2 s for its answer.',
  method: 'GET',
  path: '/api/v1/m/invoices/{id}/status',
  access: { permission: 'orders:read' },
  params: { id: 'Invoice' },
  answer: json(invoiceStatusViewSchema),
  fails: ['not_found'],
  tool: {
    description:
      'See whether an invoice has been paid. Call it every few seconds while a customer pays; once paid ' +
      'is true the order is paid too.',
    rename: { id: 'invoice_id' },
  },
  async run(call, { params }) {
    const invoice = await waitForLook(call.parts, await requireInvoice(call, params.id!));
    const payment = invoice.paid_at ? await findPaymentOfInvoice(call.db, invoice.id) : undefined;
    return toInvoiceStatusView(invoice, payment);
  },
});
