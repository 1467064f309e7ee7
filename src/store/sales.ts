import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { isToken } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { DeliveryStatus, SaleRow } from '../model/sale.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'order_id',
  'payment_id',
  'status',
  'source',
  'payment_method',
  'currency',
  'subtotal_cents',
  'discount_cents',
  'discount_name',
  'tax_cents',
  'tax_details',
  'conversion_fee_percent',
  'conversion_fee_cents',
  'total_cents',
  'refunded_cents',
  'items',
  'customer_name',
  'receipt_token',
  'delivery_status',
  'shipped_at',
  'delivered_at',
  'ordered_at',
  'sold_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof SaleRow)[];
const jsonColumns = new Set<string>(['tax_details', 'items']);
const columnList = columns.map((column) => `sales.${column}`).join(', ');

const insert = statement(
  'sales_insert',
  `insert into sales (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement(
  'sales_find',
  `select ${columnList} from sales where id = $1 and merchant_id = $2 and livemode = $3`,
);
const findOfOrder = statement('sales_find_of_order', `select ${columnList} from sales where order_id = $1`);
const receiptTokens = statement(
  'sales_receipt_tokens',
  'select order_id, receipt_token from sales where order_id = any($1::uuid[])',
);
const findByReceipt = statement('sales_find_by_receipt', `select ${columnList} from sales where receipt_token = $1`);
const markDelivery = statement(
  'sales_mark_delivery',
  `update sales set delivery_status = $2, updated_at = $3,
          shipped_at = coalesce(shipped_at, $3),
          delivered_at = case when $2 = 'delivered' then coalesce(delivered_at, $3) end
    where order_id = $1`,
);

export async function insertSale(tx: Handle, row: SaleRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => (jsonColumns.has(column) ? JSON.stringify(row[column]) : row[column])),
  );
}

export function findSale(db: Handle, scope: Scope, id: string): Promise<SaleRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** The id comes from an order the caller may see. */
export function findSaleOfOrder(db: Handle, orderId: string): Promise<SaleRow | undefined> {
  return db.maybeOne(findOfOrder, [orderId]);
}

/** Receipt tokens by order; the orders are ones the viewer may see. */
export async function listReceiptTokens(db: Handle, orderIds: readonly string[]): Promise<Map<string, string>> {
  if (orderIds.length === 0) return new Map();
  const rows = await db.many<{ order_id: string; receipt_token: string }>(receiptTokens, [orderIds]);
  return new Map(rows.map(({ order_id, receipt_token }) => [order_id, receipt_token]));
}

/** For the receipt's page: whoever has the token may see it. */
export async function findSaleByReceipt(db: Handle, receiptToken: string): Promise<SaleRow | undefined> {
  // Addresses may hold anything, also what the database would not take as text.
  return isToken(receiptToken) ? db.maybeOne(findByReceipt, [receiptToken]) : undefined;
}

/** Moves a sale's delivery; the first time of each step stays. Back from delivered to shipped takes the delivery away. */
export async function markSaleDelivery(
  tx: Handle,
  orderId: string,
  status: Extract<DeliveryStatus, 'shipped' | 'delivered'>,
  now: Date,
): Promise<void> {
  await tx.run(markDelivery, [orderId, status, now]);
}

/** Newest first. */
export function listSales(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<SaleRow>> {
  return listPage<SaleRow>(
    db,
    {
      select: `select ${columnList} from sales join orders o on o.id = sales.order_id`,
      countFrom: 'from sales join orders o on o.id = sales.order_id',
      where: 'sales.merchant_id = $1 and sales.livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        status: 'sales.status',
        source: 'sales.source',
        payment_method: 'sales.payment_method',
        currency: 'sales.currency',
        sold_at: 'sales.sold_at',
        order_id: 'sales.order_id',
        order_number: 'o.order_number',
      },
      orderBy: 'sales.created_at desc, sales.id desc',
    },
    filters,
    page,
  );
}
