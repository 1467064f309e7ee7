import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import { invoiceStatusSql } from './invoice-status.ts';

const stored = [
  'id',
  'merchant_id',
  'livemode',
  'order_id',
  'wallet_id',
  'connection',
  'ref',
  'amount_sats',
  'quoted_cents',
  'btc_usd_price',
  'btc_fiat_price',
  'bolt11',
  'payment_hash',
  'handle',
  'expires_at',
  'bolt11_expires_at',
  'paid_at',
  'superseded_at',
  'restated_at',
  'expired_event_at',
  'held_at',
  'next_look_at',
  'watch_until',
  'last_look_at',
  'look_count',
  'viewed_at',
  'metadata',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof InvoiceRow)[];

/** Every column and the status at the moment in `$1`. */
export const invoiceSelect = `${stored.map((column) => `i.${column}`).join(', ')}, ${invoiceStatusSql('i', '$1')} as status`;

const insert = statement(
  'invoices_insert',
  `insert into invoices (${stored.join(', ')}) values (${stored.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement(
  'invoices_find',
  `select ${invoiceSelect} from invoices i where i.id = $2 and i.merchant_id = $3 and i.livemode = $4`,
);
const lock = statement('invoices_lock', `select ${invoiceSelect} from invoices i where i.id = $2 for update`);
const findForJob = statement('invoices_find_for_job', `select ${invoiceSelect} from invoices i where i.id = $2`);
const findOpen = statement(
  'invoices_find_open',
  `select ${invoiceSelect} from invoices i where i.order_id = $2 and i.paid_at is null and i.superseded_at is null`,
);
// The one an order shows: the open one, else the newest paid one, else the newest.
const findCurrent = statement(
  'invoices_find_current',
  `select ${invoiceSelect} from invoices i where i.order_id = $2
    order by (i.paid_at is null and i.superseded_at is null) desc, (i.paid_at is not null) desc, i.created_at desc, i.id desc
    limit 1`,
);
const listOfOrders = statement(
  'invoices_list_of_orders',
  `select distinct on (i.order_id) ${invoiceSelect} from invoices i where i.order_id = any($2::uuid[])
    order by i.order_id, (i.paid_at is null and i.superseded_at is null) desc, (i.paid_at is not null) desc,
             i.created_at desc, i.id desc`,
);
const supersedeOpen = statement(
  'invoices_supersede_open',
  `update invoices set superseded_at = $2, updated_at = $2
    where order_id = $1 and paid_at is null and superseded_at is null`,
);
const listUnpaid = statement(
  'invoices_list_unpaid',
  `select ${invoiceSelect} from invoices i where i.order_id = $2 and i.paid_at is null order by i.id`,
);
const restate = statement(
  'invoices_restate',
  `update invoices set quoted_cents = $2, btc_fiat_price = $3, restated_at = $4, updated_at = $4
    where id = $1 and paid_at is null`,
);
const markPaid = statement(
  'invoices_mark_paid',
  `update invoices set paid_at = $2, held_at = null, next_look_at = null, lease_until = null, updated_at = $3
    where id = $1 and paid_at is null`,
);
const quotedPaid = statement(
  'invoices_quoted_paid',
  `select coalesce(sum(quoted_cents), 0)::bigint as cents from invoices where order_id = $1 and paid_at is not null`,
);
const heldOfOrder = statement(
  'invoices_held_of_order',
  `select exists (select from invoices where order_id = $1 and held_at is not null and paid_at is null) as held`,
);
const findHash = statement(
  'invoices_find_hash',
  'select exists (select from invoices where payment_hash = $1) as used',
);

const listOfOrder = statement(
  'invoices_list_of_order',
  `select ${invoiceSelect} from invoices i where i.order_id = $2 order by i.created_at, i.id`,
);
const listForOperator = statement(
  'invoices_list_for_operator',
  `select ${invoiceSelect} from invoices i
    where i.id > $2 and ($3::timestamptz is null or i.created_at >= $3) order by i.id limit $4`,
);
const listById = statement(
  'invoices_list_by_id',
  `select ${invoiceSelect} from invoices i where i.id = any($2::uuid[])`,
);

export async function insertInvoice(tx: Handle, row: Omit<InvoiceRow, 'status'>): Promise<void> {
  await tx.run(
    insert,
    stored.map((column) => (column === 'metadata' ? JSON.stringify(row.metadata) : row[column])),
  );
}

export function findInvoice(db: Handle, scope: Scope, id: string, now: Date): Promise<InvoiceRow | undefined> {
  return db.maybeOne(find, [now, id, scope.merchantId, scope.livemode]);
}

/** Without a tenant: for the watcher and for flows that were handed the invoice by it. */
export function findInvoiceForJob(db: Handle, id: string, now: Date): Promise<InvoiceRow | undefined> {
  return db.maybeOne(findForJob, [now, id]);
}

/** Locks an invoice. Its order must be locked already (flows/README.md). */
export function lockInvoiceForJob(tx: Handle, id: string, now: Date): Promise<InvoiceRow | undefined> {
  return tx.maybeOne(lock, [now, id]);
}

/** The invoice that is neither paid nor superseded; its time may still have run out. */
export function findOpenInvoice(db: Handle, orderId: string, now: Date): Promise<InvoiceRow | undefined> {
  return db.maybeOne(findOpen, [now, orderId]);
}

export function findCurrentInvoice(db: Handle, orderId: string, now: Date): Promise<InvoiceRow | undefined> {
  return db.maybeOne(findCurrent, [now, orderId]);
}

/** The current invoice of each of the orders, by order id. */
export async function listCurrentInvoices(
  db: Handle,
  orderIds: readonly string[],
  now: Date,
): Promise<Map<string, InvoiceRow>> {
  const rows = orderIds.length === 0 ? [] : await db.many<InvoiceRow>(listOfOrders, [now, orderIds]);
  return new Map(rows.map((row) => [row.order_id, row]));
}

/** Invoices by id; the ids come from rows the caller may see. */
export async function listInvoicesById(
  db: Handle,
  ids: readonly string[],
  now: Date,
): Promise<Map<string, InvoiceRow>> {
  const rows = ids.length === 0 ? [] : await db.many<InvoiceRow>(listById, [now, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Every invoice an order ever had, oldest first. */
export function listInvoicesOfOrder(db: Handle, orderId: string, now: Date): Promise<InvoiceRow[]> {
  return db.many(listOfOrder, [now, orderId]);
}

/** Invoices of all merchants in the order of ids, for walking through them. */
export function listInvoicesForOperator(
  db: Handle,
  walk: { afterId: string; since: Date | undefined; limit: number; now: Date },
): Promise<InvoiceRow[]> {
  return db.many(listForOperator, [walk.now, walk.afterId, walk.since ?? null, walk.limit]);
}

/** The order no longer asks for its open invoice: it reads expired and stays watched. */
export async function supersedeOpenInvoice(tx: Handle, orderId: string, now: Date): Promise<void> {
  await tx.run(supersedeOpen, [orderId, now]);
}

/** Invoices of an order that money may still come for: open, closed and expired ones. */
export function listUnpaidInvoices(tx: Handle, orderId: string, now: Date): Promise<InvoiceRow[]> {
  return tx.many(listUnpaid, [now, orderId]);
}

/** The order's currency changed: what an unpaid invoice counts for, and its price of bitcoin, are in the new one. */
export async function restateInvoice(
  tx: Handle,
  id: string,
  terms: Pick<InvoiceRow, 'quoted_cents' | 'btc_fiat_price'>,
  now: Date,
): Promise<void> {
  await tx.run(restate, [id, terms.quoted_cents, terms.btc_fiat_price, now]);
}

/** pending or expired → paid. @returns false when it was paid already. */
export async function markInvoicePaid(tx: Handle, id: string, paidAt: Date, now: Date): Promise<boolean> {
  return (await tx.run(markPaid, [id, paidAt, now])) === 1;
}

/** What of an order's total its paid invoices were for, in minor units. */
export async function sumQuotedPaid(tx: Handle, orderId: string): Promise<number> {
  return (await tx.maybeOne<{ cents: number }>(quotedPaid, [orderId]))!.cents;
}

/** Whether money is on its way on any invoice of the order; then no second invoice may be offered. */
export async function isHeld(tx: Handle, orderId: string): Promise<boolean> {
  return (await tx.maybeOne<{ held: boolean }>(heldOfOrder, [orderId]))!.held;
}

/** Whether any invoice of any merchant has this payment hash. */
export async function isPaymentHashUsed(db: Handle, paymentHash: string): Promise<boolean> {
  return (await db.maybeOne<{ used: boolean }>(findHash, [paymentHash]))!.used;
}
