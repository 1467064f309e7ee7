import { type Static, Type } from 'typebox';
import { livemode, nullable, objectName, oneOf, sats, timestamp, uuid } from './fields.ts';
import { type InvoiceRow, invoiceStatuses } from './invoice.ts';

export interface PaymentRequestRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  order_id: string;
  invoice_id: string;
  description: string;
  amount_cents: number;
  created_at: Date;
}

const createdFields = {
  object: objectName('payment_request'),
  livemode,
  id: uuid('Payment request'),
  payment_method: oneOf(['lightning']),
  amount_sats: sats('Amount asked for'),
  amount_cents: Type.Integer({ description: 'Amount as sent, in minor units' }),
  description: Type.String(),
  order_id: uuid('Order'),
  created_at: timestamp('When it was made'),
  expires_at: timestamp('Until when it can be paid'),
  payment_request: Type.String({ description: 'BOLT11 payment request' }),
  payment_hash: Type.String({ description: '64 hex characters' }),
};
const paidFields = {
  status: oneOf(invoiceStatuses),
  paid_at: nullable(timestamp('When it was paid')),
  amount_paid_sats: nullable(sats('What arrived')),
};

/** As create answers it. */
export const createdPaymentRequestSchema = Type.Object(createdFields, { description: 'A payment request' });
/** As show answers it. */
export const paymentRequestSchema = Type.Object(
  { ...createdFields, ...paidFields },
  { description: 'A payment request and whether it is paid' },
);
type PaymentRequest = Static<typeof paymentRequestSchema>;

/** As the status endpoint answers it. */
export const paymentRequestStatusSchema = Type.Object(
  { id: createdFields.id, amount_sats: createdFields.amount_sats, ...paidFields },
  { description: 'Whether a payment request is paid' },
);

/** How it was paid: by its own invoice, or else by whatever paid its order. */
export interface PaymentRequestOutcome {
  paidAt: Date;
  /** null for cash. */
  amountSats: number | null;
}

export function toPaymentRequest(
  row: PaymentRequestRow,
  invoice: InvoiceRow,
  paid: PaymentRequestOutcome | undefined,
): PaymentRequest {
  return {
    object: 'payment_request',
    livemode: row.livemode,
    id: row.id,
    payment_method: 'lightning',
    amount_sats: invoice.amount_sats,
    amount_cents: row.amount_cents,
    description: row.description,
    order_id: row.order_id,
    created_at: row.created_at.toISOString(),
    expires_at: invoice.expires_at.toISOString(),
    payment_request: invoice.bolt11,
    payment_hash: invoice.payment_hash,
    status: paid ? 'paid' : invoice.status,
    paid_at: paid?.paidAt.toISOString() ?? null,
    amount_paid_sats: paid?.amountSats ?? null,
  };
}
