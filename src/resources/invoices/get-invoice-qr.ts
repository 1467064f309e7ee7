import { qrSvg } from '../../kernel/qr.ts';
import { operation, raw } from '../../operation/operation.ts';
import { requireInvoice } from './require-invoice.ts';

export const getInvoiceQr = operation({
  name: 'get_invoice_qr',
  summary: 'An invoice’s payment request as an SVG QR code',
  method: 'GET',
  path: '/api/v1/m/invoices/{id}/qr',
  access: { permission: 'orders:read' },
  params: { id: 'Invoice' },
  answer: raw('image/svg+xml'),
  fails: ['not_found'],
  tool: {
    description: 'Get the QR code of an invoice as an SVG picture (data), to show to a customer.',
    rename: { id: 'invoice_id' },
  },
  async run(call, { params }) {
    const invoice = await requireInvoice(call, params.id!);
    // Upper case fits the denser alphanumeric mode; wallets read either.
    return qrSvg(invoice.bolt11.toUpperCase());
  },
});
