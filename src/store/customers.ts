import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { newId } from '../kernel/ids.ts';

const insert = statement(
  'customers_insert',
  `insert into customers (id, merchant_id, livemode, email, created_at) values ($1, $2, $3, $4, $5)
   on conflict (merchant_id, livemode, lower(email)) do nothing`,
);
const find = statement(
  'customers_find_by_email',
  'select id from customers where merchant_id = $1 and livemode = $2 and lower(email) = lower($3)',
);

/** The id of the customer with this e-mail address, who is made if need be: one per merchant and mode. */
export async function ensureCustomer(tx: Handle, scope: Scope, email: string, now: Date): Promise<string> {
  await tx.run(insert, [newId(), scope.merchantId, scope.livemode, email, now]);
  return (await tx.maybeOne<{ id: string }>(find, [scope.merchantId, scope.livemode, email]))!.id;
}
