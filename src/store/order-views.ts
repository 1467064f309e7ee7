import { type Handle, statement } from '../db/database.ts';
import { gatheredRead } from '../db/gathered-read.ts';
import { jsonColumns, jsonRow, readMoments } from '../db/json-rows.ts';
import type { Scope } from '../kernel/context.ts';
import { type ShownOrder, shownOfOrder } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { paymentColumns } from './payments.ts';

/** An order with its newest payment. */
interface OrderViewRow {
  readonly order: ShownOrder;
  readonly payment: PaymentRow | null;
}

// `limit 1` keeps it one look into the index for each order that is asked for, however many orders there are.
const find = statement(
  'order_views_find',
  `select json_build_object('order', row_to_json(o), 'payment', ${jsonRow(
    `select ${jsonColumns('p', paymentColumns)} from payments p where p.order_id = k.id
      order by p.created_at desc, p.id desc limit 1`,
  )}) as view
   from unnest((select $1::uuid[]), (select $2::uuid[]), (select $3::boolean[])) as k(id, merchant_id, livemode)
   cross join lateral (
     select ${jsonColumns('o', shownOfOrder)} from orders o
      where o.id = k.id and o.merchant_id = k.merchant_id and o.livemode = k.livemode limit 1
   ) o`,
  { isGathered: true },
);

type Key = Scope & { id: string };
const textOf = ({ id, merchantId, livemode }: Key) => `${id} ${merchantId} ${livemode}`;

const read = gatheredRead<Key, OrderViewRow>(textOf, async (db, keys) => {
  const rows = await db.many<{ view: OrderViewRow }>(find, [
    keys.map(({ id }) => id),
    keys.map(({ merchantId }) => merchantId),
    keys.map(({ livemode }) => livemode),
  ]);
  return new Map(
    rows.map(({ view }) => {
      readMoments(view.order);
      if (view.payment) readMoments(view.payment);
      const { id, merchant_id: merchantId, livemode } = view.order;
      return [textOf({ id, merchantId, livemode }), view];
    }),
  );
});

/** The most frequent read there is; all who ask in one turn of the event loop share one statement. */
export function findOrderView(db: Handle, scope: Scope, id: string): Promise<OrderViewRow | undefined> {
  return read(db, { id, merchantId: scope.merchantId, livemode: scope.livemode });
}
