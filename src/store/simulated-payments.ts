import { type Handle, statement } from '../db/database.ts';

/** What the simulated wallet remembers of an invoice that was paid, or will be. */
export interface SimulatedPaymentRow {
  payment_hash: string;
  settles_at: Date;
  received_msat: number;
  with_preimage: boolean;
}

const find = statement(
  'simulated_payments_find',
  'select payment_hash, settles_at, received_msat, with_preimage from simulated_payments where payment_hash = $1',
);
const insert = statement(
  'simulated_payments_insert',
  `insert into simulated_payments (payment_hash, settles_at, received_msat, with_preimage, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (payment_hash) do update set settles_at = least(simulated_payments.settles_at, excluded.settles_at)`,
);

export function findSimulatedPayment(db: Handle, paymentHash: string): Promise<SimulatedPaymentRow | undefined> {
  return db.maybeOne(find, [paymentHash]);
}

/** The payer pays. A second payment changes nothing but can bring a later one forward. */
export async function insertSimulatedPayment(db: Handle, row: SimulatedPaymentRow, now: Date): Promise<void> {
  await db.run(insert, [row.payment_hash, row.settles_at, row.received_msat, row.with_preimage, now]);
}
