import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { PaymentRow } from '../model/payment.ts';

export const paymentColumns = [
  'id',
  'merchant_id',
  'livemode',
  'order_id',
  'invoice_id',
  'payment_hash',
  'kind',
  'wallet_id',
  'channel_id',
  'amount_sats',
  'amount_cents',
  'currency',
  'preimage',
  'evidence',
  'btc_usd_price',
  'btc_fiat_price',
  'usd_value',
  'fiat_value',
  'usd_variance_cents',
  'fiat_variance_cents',
  'variance_percentage',
  'metadata',
  'confirmed_at',
  'settled_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof PaymentRow)[];
const columnList = paymentColumns.join(', ');

// Only for adding up a month's volume, so nobody reads them with a payment.
const writtenColumns = [...paymentColumns, 'merchant_currency', 'merchant_value'];
const insert = statement(
  'payments_insert',
  `insert into payments (${writtenColumns.join(', ')})
   values (${writtenColumns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement(
  'payments_find',
  `select ${columnList} from payments where id = $1 and merchant_id = $2 and livemode = $3`,
);
const findOfInvoice = statement('payments_find_of_invoice', `select ${columnList} from payments where invoice_id = $1`);
const findOfOrder = statement(
  'payments_find_of_order',
  `select ${columnList} from payments where order_id = $1 and merchant_id = $2 and livemode = $3
    order by created_at desc, id desc limit 1`,
);
const listOfOrders = statement(
  'payments_list_of_orders',
  `select distinct on (order_id) ${columnList} from payments where order_id = any($1::uuid[])
    order by order_id, created_at desc, id desc`,
);
const addPreimage = statement(
  'payments_add_preimage',
  `update payments set preimage = $2, evidence = 'proof', updated_at = $3 where invoice_id = $1 and preimage is null`,
);

const listOfOrder = statement(
  'payments_list_of_order',
  `select ${columnList} from payments where order_id = $1 order by created_at, id`,
);
/**
 * What the payments of order `o` came to, in its cents: what their invoices were quoted for, and what was sent on top at the
 * same price. An expression for another statement.
 */
export const receivedCents = `(
  select coalesce(sum(p.amount_cents + case
           when p.amount_sats > i.amount_sats then floor(p.amount_cents * (p.amount_sats - i.amount_sats) / i.amount_sats::numeric)
           else 0 end), 0)::bigint
    from payments p left join invoices i on i.id = p.invoice_id where p.order_id = o.id)`;
const listUpTo = statement(
  'payments_list_up_to',
  `select last.id as last_id, ${paymentColumns.map((column) => `p.${column}`).join(', ')}
     from payments last join payments p on p.order_id = last.order_id
      and (p.created_at, p.id) <= (last.created_at, last.id)
    where last.id = any($1::uuid[])
    order by p.created_at, p.id`,
);

/** What a payment was worth when it arrived, in the currency its merchant had then; decimal text. */
export interface MerchantValue {
  currency: string;
  value: string;
}

/** @param worth of a Lightning payment; left out where no exchange rate was known. */
export async function insertPayment(tx: Handle, row: PaymentRow, worth?: MerchantValue): Promise<void> {
  const values = paymentColumns.map((column) => (column === 'metadata' ? JSON.stringify(row.metadata) : row[column]));
  await tx.run(insert, [...values, worth?.currency ?? null, worth?.value ?? null]);
}

export function findPayment(db: Handle, scope: Scope, id: string): Promise<PaymentRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

export function findPaymentOfInvoice(db: Handle, invoiceId: string): Promise<PaymentRow | undefined> {
  return db.maybeOne(findOfInvoice, [invoiceId]);
}

/** The newest payment of an order. */
export function findPaymentOfOrder(db: Handle, scope: Scope, orderId: string): Promise<PaymentRow | undefined> {
  return db.maybeOne(findOfOrder, [orderId, scope.merchantId, scope.livemode]);
}

/** The newest payment of each of the orders, by order id. */
export async function listPaymentsOfOrders(db: Handle, orderIds: readonly string[]): Promise<Map<string, PaymentRow>> {
  const rows = orderIds.length === 0 ? [] : await db.many<PaymentRow>(listOfOrders, [orderIds]);
  return new Map(rows.map((row) => [row.order_id, row]));
}

/** Every payment of an order, oldest first. The order is one the caller may see. */
export function listPaymentsOfOrder(db: Handle, orderId: string): Promise<PaymentRow[]> {
  return db.many(listOfOrder, [orderId]);
}

/**
 * By the id of each given payment: it and all earlier ones of its order, oldest first. The ids come from rows the caller
 * may see.
 */
export async function listPaymentsUpTo(db: Handle, ids: readonly string[]): Promise<Map<string, PaymentRow[]>> {
  const rows = ids.length === 0 ? [] : await db.many<PaymentRow & { last_id: string }>(listUpTo, [ids]);
  const byLast = new Map<string, PaymentRow[]>();
  for (const { last_id, ...payment } of rows) {
    const earlier = byLast.get(last_id);
    if (earlier) earlier.push(payment);
    else byLast.set(last_id, [payment]);
  }
  return byLast;
}

/** The given payment and all earlier ones of its order, oldest first; none without one. */
export async function findPaymentsUpTo(db: Handle, id: string | null): Promise<PaymentRow[]> {
  return (id !== null && (await listPaymentsUpTo(db, [id])).get(id)) || [];
}

/** A wallet that first only gave its word has shown the proof. The caller has checked that it hashes right. */
export async function addPaymentPreimage(tx: Handle, invoiceId: string, preimage: string, now: Date): Promise<boolean> {
  return (await tx.run(addPreimage, [invoiceId, preimage, now])) === 1;
}

/** Newest first. */
export function listPayments(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<PaymentRow>> {
  return listPage<PaymentRow>(
    db,
    {
      select: `select ${columnList} from payments`,
      countFrom: 'from payments',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        amount_sats: 'amount_sats',
        confirmed_at: 'confirmed_at',
        currency: 'currency',
        order_id: 'order_id',
      },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
