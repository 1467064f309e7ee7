import { type Handle, statement } from '../db/database.ts';

export interface Gauges {
  invoices_watched: number;
  wallets_broken: number;
}

const read = statement(
  'gauges_read',
  `select (select count(*) from invoices where paid_at is null and next_look_at is not null) as invoices_watched,
          (select count(*) from wallets where enabled and broken_until > clock_timestamp()) as wallets_broken`,
);

/** Figures over all merchants that only the database knows. */
export async function readGauges(db: Handle): Promise<Gauges> {
  return (await db.maybeOne<Gauges>(read))!;
}
