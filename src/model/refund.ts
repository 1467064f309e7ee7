import { type Static, Type } from 'typebox';
import { cents, currencyCode, livemode, nullable, objectName, timestamp, uuid } from './fields.ts';

export interface RefundRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  sale_id: string;
  order_id: string;
  amount_cents: number;
  currency: string;
  note: string | null;
  api_key_id: string | null;
  created_at: Date;
}

export const refundSchema = Type.Object(
  {
    object: objectName('refund'),
    livemode,
    id: uuid('Refund'),
    sale_id: uuid('Sale'),
    order_id: uuid('Order'),
    amount_cents: cents('What was given back'),
    currency: currencyCode,
    note: nullable(Type.String()),
    created_at: timestamp('When it was written down'),
  },
  { description: 'Money the merchant gave back himself' },
);

export function toRefund(row: RefundRow): Static<typeof refundSchema> {
  return {
    object: 'refund',
    livemode: row.livemode,
    id: row.id,
    sale_id: row.sale_id,
    order_id: row.order_id,
    amount_cents: row.amount_cents,
    currency: row.currency,
    note: row.note,
    created_at: row.created_at.toISOString(),
  };
}
