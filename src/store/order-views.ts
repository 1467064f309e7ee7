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
  merchant: MerchantRow;
  /** Those of the order's mode, first in line first. */
  wallets: ShownWallet[];
  taxes: ShownTax[];
  /** The newest one. */
  payment: PaymentRow | null;
}

/** Columns of a joined table as members of a member: `m.id as "merchant.id"`. */
const nested = (alias: string, member: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column} as "${member}.${column}"`).join(', ');

/** Rows of another table as one column; only what shows of them. */
const list = (select: string) => `(select coalesce(json_agg(row), '[]') from (${select}) row)`;

// The most frequent read there is, so it is one statement in place of five.
const find = statement(
  'order_views_find',
  `select ${nested('o', 'order', orderColumns)}, ${nested('m', 'merchant', merchantColumns)},
          ${nested('p', 'payment', paymentColumns)},
          ${list(`select ${shownOfWallet.map((column) => `w.${column}`).join(', ')} from (${selectWallets}) w
                   where w.merchant_id = o.merchant_id and w.livemode = o.livemode order by w.position, w.id`)} as wallets,
          ${list(`select id, livemode, name, rate::text, inclusive, enabled, created_at, updated_at from taxes
                   where merchant_id = o.merchant_id and livemode = o.livemode order by taxes.created_at, id`)} as taxes
     from orders o
     join merchants m on m.id = o.merchant_id
     left join lateral (
       select * from payments where order_id = o.id order by created_at desc, id desc limit 1
     ) p on true
    where o.id = $1 and o.merchant_id = $2 and o.livemode = $3`,
);

export async function findOrderView(db: Handle, scope: Scope, id: string): Promise<OrderViewRow | undefined> {
  const row = await db.maybeOne<OrderViewRow>(find, [id, scope.merchantId, scope.livemode]);
  return row && { ...row, wallets: row.wallets.map(withMoments), taxes: row.taxes.map(withMoments) };
}

// JSON has no moments: they come as text.
function withMoments<Row extends { created_at: Date; updated_at: Date }>(row: Row): Row {
  return { ...row, created_at: new Date(row.created_at), updated_at: new Date(row.updated_at) };
}
