import { type Handle, statement } from '../db/database.ts';

/** One attempt to get an invoice for an order (flows/open-invoice.ts). At most one per order is asking. */
export interface InvoiceRequestRow {
  id: string;
  order_id: string;
  order_version: number;
  amount_sats: number;
  state: 'asking' | 'issued' | 'failed' | 'abandoned';
  leased: boolean;
  error: { code: string; message: string; details?: string[]; retryAfterSeconds?: number } | null;
  created_at: Date;
}

const columns = `id, order_id, order_version, amount_sats, state, lease_until > clock_timestamp() as leased, error,
  created_at`;

const findAsking = statement(
  'invoice_requests_find_asking',
  `select ${columns} from invoice_requests where order_id = $1 and state = 'asking'`,
);
const find = statement('invoice_requests_find', `select ${columns} from invoice_requests where id = $1`);
const insert = statement(
  'invoice_requests_insert',
  `insert into invoice_requests (id, order_id, order_version, amount_sats, state, lease_until, created_at)
   values ($1, $2, $3, $4, 'asking', clock_timestamp() + make_interval(secs => $5), $6)`,
);
const finish = statement(
  'invoice_requests_finish',
  `update invoice_requests set state = $2, error = $3 where id = $1 and state = 'asking'`,
);

const listOfOrder = statement(
  'invoice_requests_list_of_order',
  `select ${columns} from invoice_requests where order_id = $1 order by created_at, id`,
);

/** What is still remembered of an order's requests, oldest first. */
export function listRequestsOfOrder(db: Handle, orderId: string): Promise<InvoiceRequestRow[]> {
  return db.many(listOfOrder, [orderId]);
}

export function findAskingRequest(tx: Handle, orderId: string): Promise<InvoiceRequestRow | undefined> {
  return tx.maybeOne(findAsking, [orderId]);
}

export function findInvoiceRequest(db: Handle, id: string): Promise<InvoiceRequestRow | undefined> {
  return db.maybeOne(find, [id]);
}

export async function insertInvoiceRequest(
  tx: Handle,
  request: { id: string; orderId: string; orderVersion: number; amountSats: number },
  leaseSeconds: number,
  now: Date,
): Promise<void> {
  const { id, orderId, orderVersion, amountSats } = request;
  await tx.run(insert, [id, orderId, orderVersion, amountSats, leaseSeconds, now]);
}

/** asking → the given state. @returns false when the request was no longer asking. */
export async function finishInvoiceRequest(
  db: Handle,
  id: string,
  state: 'issued' | 'failed' | 'abandoned',
  error: InvoiceRequestRow['error'] = null,
): Promise<boolean> {
  return (await db.run(finish, [id, state, error === null ? null : JSON.stringify(error)])) === 1;
}
