import { type Static, Type } from 'typebox';
import { inputObject, objectName, optional, timestamp, uuid } from './fields.ts';
import { type PaymentRow, paymentSchema, toPayment } from './payment.ts';

const mostSeconds = 7 * 24 * 3600;

/** How a payer of the simulated wallet pays. */
export const simulatedPayerInput = inputObject({
  after_seconds: optional(Type.Integer({ minimum: 0, maximum: mostSeconds, description: 'Pay this much later' })),
  amount_sats: optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_100_000_000_000_000,
      description: 'What the payer sends, if not the amount asked for',
    }),
  ),
});

export interface SimulatedPayer {
  /** Pays this many seconds from now; 0 pays at once. */
  afterSeconds: number;
  /** What the payer sends, in whole sats; undefined: exactly what the invoice asks for. */
  amountSats: number | undefined;
}

/** The payment, or when it will come. */
export type SimulatedOutcome = { payment: PaymentRow } | { invoiceId: string; settlesAt: Date };

const scheduledSchema = Type.Object(
  {
    object: objectName('scheduled_payment'),
    invoice_id: uuid('Invoice'),
    settles_at: timestamp('When the simulated payer pays'),
  },
  { description: 'A simulated payment that comes later' },
);

export const simulatedPaymentSchema = Type.Union([paymentSchema, scheduledSchema]);

export function toPayer(body: Static<typeof simulatedPayerInput>): SimulatedPayer {
  return { afterSeconds: body.after_seconds ?? 0, amountSats: body.amount_sats ?? undefined };
}

export function toSimulatedPayment(outcome: SimulatedOutcome): Static<typeof simulatedPaymentSchema> {
  if ('payment' in outcome) return toPayment(outcome.payment);
  return { object: 'scheduled_payment', invoice_id: outcome.invoiceId, settles_at: outcome.settlesAt.toISOString() };
}
