import { type Handle, statement } from '../db/database.ts';

const idempotency = statement('sweep_idempotency_keys', 'delete from idempotency_keys where created_at < $1');
const requests = statement('sweep_invoice_requests', 'delete from invoice_requests where created_at < $1');

/** Removes what nobody can ask for any more. @returns the number of rows. */
export async function sweepBefore(db: Handle, moment: Date): Promise<number> {
  return (await db.run(idempotency, [moment])) + (await db.run(requests, [moment]));
}
