import { currency, integer, numberCode, text, timestamp, uuid, word } from '../../kernel/filters.ts';
import { orderStatuses } from '../../model/order.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import { csvListOf, operation } from '../../operation/operation.ts';
import { listOrders as listOrderRows } from '../../store/orders.ts';
import { orderExpansions, toOrderViews } from './read-order-view.ts';

export const listOrders = operation({
  name: 'list_orders',
  summary: 'List orders, newest first',
  description: 'Cancelled orders are left out unless `q[status_eq]=cancelled` asks for them.',
  method: 'GET',
  path: '/api/v1/m/orders',
  access: { permission: 'orders:read' },
  query: {
    paged: true,
    expand: orderExpansions,
    filters: {
      status: word(...orderStatuses),
      currency,
      order_number: text,
      total_amount_cents: integer,
      created_at: timestamp,
      merchant_id: uuid,
      payments_payment_type: numberCode({ lightning: 0, cash: 1 }),
    },
  },
  answer: csvListOf(orderViewSchema),
  tool: {
    description:
      'Look orders up, newest first: by status, number, amount or time. Cancelled orders are left out ' +
      'unless status is cancelled.',
  },
  async run(call, { page, filters, expand }) {
    const { rows, totalCount } = await listOrderRows(call.db, call.scope, page, filters);
    return { page, result: { rows: await toOrderViews(call, rows, expand), totalCount } };
  },
});
