import { type Static, Type } from 'typebox';
import type { ConnectionKind } from './connection.ts';
import { livemode, metadata, nullable, objectName, oneOf, sats, timestamp, uuid } from './fields.ts';

/**
 * An invoice's life:
 *
 *   pending ──(settled)──▶ paid
 *      └──(expires_at passes, or the order no longer asks for it)──▶ expired ──(money comes late)──▶ paid
 *
 * Only facts are stored (`paid_at`, `superseded_at`, `expires_at`); the status is read from them against the clock, by
 * the one expression in `store/invoice-status.ts`.
 */
export const invoiceStatuses = ['pending', 'paid', 'expired'] as const;
type InvoiceStatus = (typeof invoiceStatuses)[number];

export interface InvoiceRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  order_id: string;
  wallet_id: string;
  connection: ConnectionKind;
  ref: string;
  amount_sats: number;
  quoted_cents: number;
  btc_usd_price: string;
  btc_fiat_price: string;
  bolt11: string;
  payment_hash: string;
  handle: Buffer;
  expires_at: Date;
  bolt11_expires_at: Date;
  paid_at: Date | null;
  superseded_at: Date | null;
  /** When `quoted_cents` and `btc_fiat_price` were put in another currency, because the order's changed. */
  restated_at: Date | null;
  expired_event_at: Date | null;
  held_at: Date | null;
  next_look_at: Date | null;
  watch_until: Date;
  last_look_at: Date | null;
  look_count: number;
  viewed_at: Date | null;
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
  /** Read against the clock the query was given. */
  status: InvoiceStatus;
}

export const invoiceFields = {
  object: objectName('invoice'),
  livemode,
  id: uuid('Invoice'),
  payment_method: oneOf(['lightning']),
  amount_sats: sats('Amount asked for'),
  status: oneOf(invoiceStatuses),
  expires_at: timestamp('Until when it can be paid'),
  paid_at: nullable(timestamp('When it was paid')),
  order_id: uuid('Order'),
  created_at: timestamp('When the invoice was made'),
  updated_at: timestamp('When the invoice last changed'),
  payment_request: Type.String({ description: 'BOLT11 payment request' }),
  payment_hash: Type.String({ description: '64 hex characters' }),
  expired: Type.Boolean(),
  time_until_expiry: Type.Integer({ description: 'Seconds left, never below 0' }),
  metadata,
};

/** The plain invoice; `model/invoice-view.ts` adds its order. */
export const invoiceSchema = Type.Object(invoiceFields, { description: 'A Lightning invoice' });
export type Invoice = Static<typeof invoiceSchema>;

export function toInvoice(row: InvoiceRow, now: Date): Invoice {
  const secondsLeft = Math.ceil((row.expires_at.getTime() - now.getTime()) / 1000);
  return {
    object: 'invoice',
    livemode: row.livemode,
    id: row.id,
    payment_method: 'lightning',
    amount_sats: row.amount_sats,
    status: row.status,
    expires_at: row.expires_at.toISOString(),
    paid_at: row.paid_at?.toISOString() ?? null,
    order_id: row.order_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    payment_request: row.bolt11,
    payment_hash: row.payment_hash,
    expired: row.status === 'expired',
    time_until_expiry: row.status === 'pending' ? Math.max(0, secondsLeft) : 0,
    metadata: { ...row.metadata, provider: row.connection, mode: row.livemode ? 'live' : 'test' },
  };
}
