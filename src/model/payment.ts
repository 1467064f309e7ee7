import { type Static, Type } from 'typebox';
import {
  currencyCode,
  decimalString,
  livemode,
  metadata,
  nullable,
  objectName,
  sats,
  signedCents,
  timestamp,
  uuid,
} from './fields.ts';

export type PaymentKind = 'lightning' | 'cash';
type PaymentEvidence = 'proof' | 'word';

export interface PaymentRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  order_id: string;
  invoice_id: string | null;
  payment_hash: string | null;
  kind: PaymentKind;
  wallet_id: string | null;
  channel_id: string | null;
  amount_sats: number | null;
  amount_cents: number;
  currency: string;
  preimage: string | null;
  evidence: PaymentEvidence | null;
  btc_usd_price: string | null;
  btc_fiat_price: string | null;
  usd_value: string | null;
  fiat_value: string | null;
  usd_variance_cents: number | null;
  fiat_variance_cents: number | null;
  variance_percentage: string | null;
  metadata: Record<string, unknown>;
  confirmed_at: Date;
  settled_at: Date;
  created_at: Date;
  updated_at: Date;
}

export const paymentFields = {
  object: objectName('payment'),
  livemode,
  id: uuid('Payment'),
  amount_sats: nullable(sats('What arrived; null for cash')),
  preimage: nullable(Type.String({ description: 'Proof of payment, 64 hex characters' })),
  confirmed_at: timestamp('When the payment was recorded'),
  settled_at: timestamp('When the wallet says it settled'),
  order_id: uuid('Order'),
  invoice_id: nullable(uuid('Invoice')),
  channel_id: nullable(Type.String()),
  payment_hash: nullable(Type.String()),
  created_at: timestamp('When the payment was recorded'),
  updated_at: timestamp('When the payment last changed'),
  currency: currencyCode,
  confirmations: Type.Integer({ description: 'Always 0: Lightning has none' }),
  required_confirmations: Type.Integer({ description: 'Always 0' }),
  metadata,
  // Absent on cash payments; prices also on one of 0 that was taken while none was known.
  btc_usd_price_at_payment: Type.Optional(decimalString('Price of one bitcoin in US dollars')),
  btc_fiat_price_at_payment: Type.Optional(decimalString('Price of one bitcoin in the currency')),
  usd_value_at_payment: Type.Optional(decimalString('Value in US dollars')),
  fiat_value_at_payment: Type.Optional(decimalString('Value in the currency')),
  usd_variance_cents: Type.Optional(signedCents('Value less what was quoted, US dollars')),
  fiat_variance_cents: Type.Optional(signedCents('Value less what was quoted, the currency')),
  variance_percentage: Type.Optional(decimalString('The same in percent')),
};

/** The plain payment; `model/payment-view.ts` adds its order and invoice. */
export const paymentSchema = Type.Object(paymentFields, { description: 'A payment' });
export type Payment = Static<typeof paymentSchema>;

export function toPayment(row: PaymentRow): Payment {
  return {
    object: 'payment',
    livemode: row.livemode,
    id: row.id,
    amount_sats: row.amount_sats,
    preimage: row.preimage,
    confirmed_at: row.confirmed_at.toISOString(),
    settled_at: row.settled_at.toISOString(),
    order_id: row.order_id,
    invoice_id: row.invoice_id,
    channel_id: row.channel_id,
    payment_hash: row.payment_hash,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    currency: row.currency,
    confirmations: 0,
    required_confirmations: 0,
    metadata: row.metadata,
    ...(row.kind === 'lightning' ? valuesAtPayment(row) : {}),
  };
}

function valuesAtPayment(row: PaymentRow) {
  return {
    ...(row.btc_usd_price === null ? {} : { btc_usd_price_at_payment: row.btc_usd_price }),
    ...(row.btc_fiat_price === null ? {} : { btc_fiat_price_at_payment: row.btc_fiat_price }),
    usd_value_at_payment: row.usd_value!,
    fiat_value_at_payment: row.fiat_value!,
    usd_variance_cents: row.usd_variance_cents!,
    fiat_variance_cents: row.fiat_variance_cents!,
    variance_percentage: row.variance_percentage!,
  };
}
