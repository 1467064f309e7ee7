import { type Handle, statement } from '../db/database.ts';

/** What the simulated wallet remembers of an invoice that was paid, or will be. */
interface SimulatedPaymentRow {
  payment_hash: string;
  settles_at: Date;
  /** A bigint, because all the bitcoin there is comes to more msat than a number holds. */
  received_msat: bigint;
  with_preimage: boolean;
}

const find = statement(
  'simulated_payments_find',
  `select payment_hash, settles_at, received_msat::text, with_preimage from simulated_payments where payment_hash = $1`,
);
const insert = statement(
  'simulated_payments_insert',
  `insert into simulated_payments (payment_hash, settles_at, received_msat, with_preimage, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (payment_hash) do update set settles_at = least(simulated_payments.settles_at, excluded.settles_at)`,
);

export async function findSimulatedPayment(db: Handle, paymentHash: string): Promise<SimulatedPaymentRow | undefined> {
  const row = await db.maybeOne<Omit<SimulatedPaymentRow, 'received_msat'> & { received_msat: string }>(find, [
    paymentHash,
  ]);
  return row && { ...row, received_msat: BigInt(row.received_msat) };
}

/** The payer pays. A second payment changes nothing but can bring a later one forward. */
export async function insertSimulatedPayment(db: Handle, row: SimulatedPaymentRow, now: Date): Promise<void> {
  await db.run(insert, [row.payment_hash, row.settles_at, row.received_msat, row.with_preimage, now]);
}
