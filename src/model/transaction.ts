import { type Static, Type } from 'typebox';
import {
  cents,
  currencyCode,
  livemode,
  metadata,
  nullable,
  objectName,
  oneOf,
  sats,
  timestamp,
  uuid,
} from './fields.ts';

export const transactionTypes = ['payment', 'cash', 'refund'] as const;

/** One movement of money, as a bookkeeper reads it. */
export interface TransactionRow {
  id: string;
  livemode: boolean;
  type: (typeof transactionTypes)[number];
  status: string;
  order_id: string;
  order_number: string;
  invoice_id: string | null;
  checkout_session_id: string | null;
  payment_request_id: string | null;
  amount_sats: number | null;
  amount_cents: number;
  currency: string;
  payment_hash: string | null;
  wallet_id: string | null;
  metadata: Record<string, unknown>;
  created_at: Date;
}

export const transactionSchema = Type.Object(
  {
    object: objectName('transaction'),
    livemode,
    id: uuid('Payment or refund'),
    type: oneOf(transactionTypes),
    status: Type.String({ description: '`confirmed`' }),
    order_id: uuid('Order'),
    order_number: Type.String(),
    invoice_id: nullable(uuid('Invoice')),
    checkout_session_id: nullable(uuid('Checkout session')),
    payment_request_id: nullable(uuid('Payment request')),
    amount_sats: nullable(sats('What moved')),
    amount_cents: cents('What it was quoted for'),
    currency: currencyCode,
    payment_hash: nullable(Type.String()),
    wallet_id: nullable(uuid('Wallet')),
    metadata,
    created_at: timestamp('When it was recorded'),
  },
  { description: 'A movement of money' },
);

export function toTransaction(row: TransactionRow): Static<typeof transactionSchema> {
  return {
    object: 'transaction',
    livemode: row.livemode,
    id: row.id,
    type: row.type,
    status: row.status,
    order_id: row.order_id,
    order_number: row.order_number,
    invoice_id: row.invoice_id,
    checkout_session_id: row.checkout_session_id,
    payment_request_id: row.payment_request_id,
    amount_sats: row.amount_sats,
    amount_cents: row.amount_cents,
    currency: row.currency,
    payment_hash: row.payment_hash,
    wallet_id: row.wallet_id,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
  };
}
