import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import type { MerchantRow } from '../model/merchant.ts';
import type { OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import type { ShownTax } from '../model/tax.ts';
import { type ShownWallet, shownOfWallet } from '../model/wallet.ts';
import { merchantColumns } from './merchants.ts';
import { orderColumns } from './orders.ts';
import { paymentColumns } from './payments.ts';
import { selectWallets } from './wallets.ts';

/** An order with what shows beside it. */
export interface OrderViewRow {
  order: OrderRow;
  /** The newest one. */
  payment: PaymentRow | null;
  merchant: MerchantRow;
  /** Those of the order's mode, first in line first. */
  wallets: ShownWallet[];
  taxes: ShownTax[];
}

// Numbers with decimals stay text, as they are everywhere else: JSON would make them inexact.
const decimals = new Set(['btc_usd_price', 'btc_fiat_price', 'conversion_fee_percent']);
const columnsOf = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}${decimals.has(column) ? '::text' : ''}`).join(', ');
const one = (select: string) => `(select row_to_json(row) from (${select}) row)`;
const list = (select: string) => `(select coalesce(json_agg(row), '[]') from (${select}) row)`;

// The most frequent read there is: one statement in place of five, and one column of JSON in place of ninety.
const find = statement(
  'order_views_find',
  `select json_build_object(
     'order', ${one(`select ${columnsOf('o', orderColumns)}`)},
     'payment', ${one(`select ${columnsOf('p', paymentColumns)} from payments p where p.order_id = o.id
                       order by p.created_at desc, p.id desc limit 1`)},
     'merchant', ${one(`select ${columnsOf('m', merchantColumns)} from merchants m where m.id = o.merchant_id`)},
     'wallets', ${list(`select ${columnsOf('w', shownOfWallet)} from (${selectWallets}) w
                        where w.merchant_id = o.merchant_id and w.livemode = o.livemode order by w.position, w.id`)},
     'taxes', ${list(`select id, livemode, name, rate::text, inclusive, enabled, created_at, updated_at from taxes t
                      where t.merchant_id = o.merchant_id and t.livemode = o.livemode order by t.created_at, t.id`)}
   ) as view
   from orders o where o.id = $1 and o.merchant_id = $2 and o.livemode = $3`,
);

export async function findOrderView(db: Handle, scope: Scope, id: string): Promise<OrderViewRow | undefined> {
  const view = (await db.maybeOne<{ view: OrderViewRow }>(find, [id, scope.merchantId, scope.livemode]))?.view;
  if (!view) return undefined;
  for (const row of [view.order, view.merchant, ...view.wallets, ...view.taxes]) readMoments(row);
  if (view.payment) readMoments(view.payment);
  return view;
}

/** JSON has no moments: they come as text, in members whose name ends in `_at`. */
function readMoments(row: object): void {
  for (const [name, value] of Object.entries(row)) {
    if (name.endsWith('_at') && typeof value === 'string') (row as Record<string, unknown>)[name] = new Date(value);
  }
}
