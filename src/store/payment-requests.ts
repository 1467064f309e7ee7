import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import type { PaymentRequestRow } from '../model/payment-request.ts';

const columns = 'id, merchant_id, livemode, order_id, invoice_id, description, amount_cents, created_at';

const insert = statement(
  'payment_requests_insert',
  `insert into payment_requests (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const find = statement(
  'payment_requests_find',
  `select ${columns} from payment_requests where id = $1 and merchant_id = $2 and livemode = $3`,
);

export async function insertPaymentRequest(tx: Handle, row: PaymentRequestRow): Promise<void> {
  const { id, merchant_id, livemode, order_id, invoice_id, description, amount_cents, created_at } = row;
  await tx.run(insert, [id, merchant_id, livemode, order_id, invoice_id, description, amount_cents, created_at]);
}

export function findPaymentRequest(db: Handle, scope: Scope, id: string): Promise<PaymentRequestRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}
