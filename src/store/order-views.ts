import { type Handle, statement } from '../db/database.ts';
import { gatheredRead } from '../db/gathered-read.ts';
import { jsonColumns, jsonRow, readMoments } from '../db/json-rows.ts';
import type { Scope } from '../kernel/context.ts';
import { type ShownOrder, shownOfOrder } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { scopeText } from '../model/scope.ts';
import { listMerchantViews, type MerchantViewRow } from './merchant-views.ts';
import { paymentColumns } from './payments.ts';

/** An order with its newest payment and its merchant. */
interface OrderViewRow {
  readonly order: ShownOrder;
  readonly payment: PaymentRow | null;
  /** Shared by all who ask at once: nobody changes it. */
  readonly merchant: MerchantViewRow;
}

// Columns for the order, which everybody gets, and JSON for the payment, which most orders have none of: for PostgreSQL a
// row is half the work of a JSON object. `limit 1` keeps it one look into the index for each order that is asked for,
// however many orders there are.
const find = statement(
  'order_views_find',
  `select k.place::integer, o.*, ${jsonRow(
    `select ${jsonColumns('p', paymentColumns)} from payments p where p.order_id = k.id
      order by p.created_at desc, p.id desc limit 1`,
  )} as payment
   from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::boolean[])) with ordinality
     as k(id, merchant_id, livemode, place)
   cross join lateral (
     select ${shownOfOrder.map((column) => `o.${column}`).join(', ')} from orders o
      where o.id = k.id and o.merchant_id = k.merchant_id and o.livemode = k.livemode limit 1
   ) o`,
  { isGathered: true },
);

type Key = Scope & { readonly id: string };

const read = gatheredRead<Key, OrderViewRow>(
  (key) => `${key.id} ${scopeText(key)}`,
  async (db, keys) => {
    const scopes = new Map(keys.map((key) => [scopeText(key), key]));
    const [rows, merchants] = await Promise.all([
      db.many<ShownOrder & { place: number; payment: PaymentRow | null }>(find, [
        keys.map(({ id }) => id),
        keys.map(({ merchantId }) => merchantId),
        keys.map(({ livemode }) => livemode),
      ]),
      listMerchantViews(db, [...scopes.values()]),
    ]);
    const texts = [...scopes.keys()];
    const merchantOf = new Map(merchants.map(({ place, found }) => [texts[place - 1]!, found]));
    return rows.map((order) => {
      const { place, payment } = order;
      if (payment) readMoments(payment);
      return { place, found: { order, payment, merchant: merchantOf.get(scopeText(keys[place - 1]!))! } };
    });
  },
);

/** The most frequent read there is; all who ask in one turn of the event loop share its statements. */
export function findOrderView(db: Handle, scope: Scope, id: string): Promise<OrderViewRow | undefined> {
  return read(db, { id, merchantId: scope.merchantId, livemode: scope.livemode });
}
