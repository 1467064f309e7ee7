import { type Static, Type } from 'typebox';
import { invoiceSchema } from './invoice.ts';
import { merchantSchema } from './merchant.ts';
import { orderFields } from './order.ts';
import { paymentSchema } from './payment.ts';

/** An order with what may show beside it. */
export const orderViewSchema = Type.Object(
  {
    ...orderFields,
    invoice: Type.Optional(invoiceSchema),
    payment: Type.Optional(paymentSchema),
    merchant: Type.Optional(merchantSchema),
  },
  { description: 'An order' },
);
export type OrderView = Static<typeof orderViewSchema>;
