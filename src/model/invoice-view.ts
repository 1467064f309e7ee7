import { type Static, Type } from 'typebox';
import { nullable, oneOf, timestamp } from './fields.ts';
import { type InvoiceRow, invoiceFields, invoiceStatuses } from './invoice.ts';
import { orderSchema } from './order.ts';
import { type PaymentRow, paymentSchema, toPayment } from './payment.ts';

/** An invoice with its order, as `generate` and show answer it. */
export const invoiceViewSchema = Type.Object(
  { ...invoiceFields, order: orderSchema },
  { description: 'A Lightning invoice with its order' },
);

/** What a screen that waits for payment asks for. */
export const invoiceStatusViewSchema = Type.Object(
  {
    status: oneOf(invoiceStatuses),
    paid: Type.Boolean(),
    expired: Type.Boolean(),
    held: Type.Boolean({ description: 'Money is on the way but not final' }),
    paid_at: nullable(timestamp('When it was paid')),
    expires_at: timestamp('Until when it can be paid'),
    payment_method: oneOf(['lightning']),
    payment: Type.Optional(paymentSchema),
  },
  { description: 'Whether an invoice is paid' },
);
type InvoiceStatusView = Static<typeof invoiceStatusViewSchema>;

export function toInvoiceStatusView(row: InvoiceRow, payment: PaymentRow | undefined): InvoiceStatusView {
  return {
    status: row.status,
    paid: row.status === 'paid',
    expired: row.status === 'expired',
    held: row.status !== 'paid' && row.held_at !== null,
    paid_at: row.paid_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
    payment_method: 'lightning',
    ...(payment ? { payment: toPayment(payment) } : {}),
  };
}
