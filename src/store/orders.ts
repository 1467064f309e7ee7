import { dynamicStatement, type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { FilterColumns } from '../db/where.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { type OrderAttention, type OrderRow, shownOfOrder } from '../model/order.ts';

const orderColumns = [
  ...shownOfOrder,
  'source',
  'pricing',
  'customer_name',
  'wallet_pinned',
  'conversion_fee_percent',
  'rate_quoted_at',
  'version',
  'paid_at',
  'cancelled_at',
  'api_key_id',
] as const satisfies readonly (keyof OrderRow)[];
const jsonColumns = new Set<string>(['items', 'pricing', 'metadata']);
const columnList = orderColumns.join(', ');

const insert = statement(
  'orders_insert',
  `insert into orders (${columnList}) values (${orderColumns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement(
  'orders_find',
  `select ${columnList} from orders where id = $1 and merchant_id = $2 and livemode = $3`,
);
const lock = statement(
  'orders_lock',
  `select ${columnList} from orders where id = $1 and merchant_id = $2 and livemode = $3 for update`,
);
const markPaid = statement(
  'orders_mark_paid',
  `update orders set status = 'paid', paid_at = $2, cash_paid_at = $3, attention = coalesce($4, attention), updated_at = $5
    where id = $1 and status = 'pending'`,
);
const markCancelled = statement(
  'orders_mark_cancelled',
  `update orders set status = 'cancelled', cancelled_at = $2, updated_at = $2, version = version + 1
    where id = $1 and status = 'pending'`,
);
const markAttention = statement(
  'orders_mark_attention',
  `update orders set attention = $2, updated_at = $3 where id = $1`,
);
const setWallet = statement('orders_set_wallet', `update orders set wallet_id = $2, updated_at = $3 where id = $1`);
const nextNumber = statement('orders_next_number', `select nextval($1::text::regclass) as number`);

const findForOperator = statement(
  'orders_find_for_operator',
  `select ${columnList} from orders where id::text = $1 or order_number = upper($1) limit 2`,
);
const listById = statement('orders_list_by_id', `select ${columnList} from orders where id = any($1::uuid[])`);

export async function insertOrder(db: Handle, row: OrderRow): Promise<void> {
  await db.run(
    insert,
    orderColumns.map((column) => toParameter(column, row[column])),
  );
}

export function findOrder(db: Handle, scope: Scope, id: string): Promise<OrderRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/**
 * For the command line: by id, or by a number that only one order of this installation has.
 */
export async function findOrderForOperator(db: Handle, reference: string): Promise<OrderRow | undefined> {
  const rows = await db.many<OrderRow>(findForOperator, [reference]);
  return rows.length === 1 ? rows[0] : undefined;
}

/** Orders by id; the ids come from rows the caller may see. */
export async function listOrdersById(db: Handle, ids: readonly string[]): Promise<Map<string, OrderRow>> {
  const rows = ids.length === 0 ? [] : await db.many<OrderRow>(listById, [ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Locks the order for this transaction; the first lock of every flow (flows/README.md). */
export function lockOrder(tx: Handle, scope: Scope, id: string): Promise<OrderRow | undefined> {
  return tx.maybeOne(lock, [id, scope.merchantId, scope.livemode]);
}

/** Writes the given columns of an order that this transaction has locked. */
export async function updateOrder(tx: Handle, id: string, change: Partial<OrderRow>): Promise<void> {
  const names = orderColumns.filter((column) => change[column] !== undefined);
  const assignments = names.map((name, index) => `${name} = $${index + 2}`).join(', ');
  const update = dynamicStatement(`update orders set ${assignments} where id = $1`);
  await tx.run(update, [id, ...names.map((name) => toParameter(name, change[name]))]);
}

interface OrderPaid {
  paidAt: Date;
  cashPaidAt: Date | null;
  attention: OrderAttention | null;
  now: Date;
}

/** pending → paid. @returns false when the order was not pending. */
export async function markOrderPaid(tx: Handle, id: string, paid: OrderPaid): Promise<boolean> {
  return (await tx.run(markPaid, [id, paid.paidAt, paid.cashPaidAt, paid.attention, paid.now])) === 1;
}

/** pending → cancelled. @returns false when the order was not pending. */
export async function markOrderCancelled(tx: Handle, id: string, now: Date): Promise<boolean> {
  return (await tx.run(markCancelled, [id, now])) === 1;
}

export async function markOrderAttention(tx: Handle, id: string, attention: OrderAttention, now: Date): Promise<void> {
  await tx.run(markAttention, [id, attention, now]);
}

export async function setOrderWallet(tx: Handle, id: string, walletId: string, now: Date): Promise<void> {
  await tx.run(setWallet, [id, walletId, now]);
}

/**
 * The next order number of a merchant in one mode. Sequences never wait, so orders don't queue; gaps are allowed.
 */
export async function nextOrderNumber(db: Handle, scope: Scope): Promise<string> {
  const row = await db.maybeOne<{ number: number }>(nextNumber, [orderSequence(scope)]);
  return `ORD-${String(row!.number).padStart(6, '0')}`;
}

/** The name of the sequence that numbers the orders of a merchant in one mode; made with the merchant. */
export function orderSequence({ merchantId, livemode }: Scope): string {
  return `order_numbers_${merchantId.replaceAll('-', '')}_${livemode ? 'live' : 'test'}`;
}

const filterColumns: FilterColumns = {
  status: 'status',
  currency: 'currency',
  order_number: 'order_number',
  total_amount_cents: 'total_amount_cents',
  created_at: 'created_at',
  merchant_id: 'merchant_id',
  payments_payment_type: (predicate, _bind, values) => {
    const paid = `(${values.map((value) => (value === 0 ? paidByLightning : paidInCash)).join(' or ')})`;
    return predicate === 'not_eq' ? `not ${paid}` : paid;
  },
};
const paidByLightning = `exists (select from payments p where p.order_id = orders.id and p.kind = 'lightning')`;
// Cash is taken once or never, and the order says so (store/ledger-rules.ts); asking its payments would be a join.
const paidInCash = 'cash_paid_at is not null';

/** Newest first. Cancelled orders stay out unless the filter on status asks for them. */
export function listOrders(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<OrderRow>> {
  const namesCancelled = filters.some(({ field, values }) => field === 'status' && values.includes('cancelled'));
  return listPage<OrderRow>(
    db,
    {
      select: `select ${columnList} from orders`,
      countFrom: 'from orders',
      where: `merchant_id = $1 and livemode = $2${namesCancelled ? '' : ` and status <> 'cancelled'`}`,
      values: [scope.merchantId, scope.livemode],
      columns: filterColumns,
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}

function toParameter(column: string, value: unknown): unknown {
  return jsonColumns.has(column) ? JSON.stringify(value) : value;
}
