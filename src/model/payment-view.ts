import { type Static, Type } from 'typebox';
import { nullable } from './fields.ts';
import { invoiceSchema } from './invoice.ts';
import { orderSchema } from './order.ts';
import { paymentFields } from './payment.ts';

/** A payment with its order and, unless it was cash, its invoice. */
export const paymentViewSchema = Type.Object(
  { ...paymentFields, order: orderSchema, invoice: nullable(invoiceSchema) },
  { description: 'A payment with its order and invoice' },
);
export type PaymentView = Static<typeof paymentViewSchema>;
