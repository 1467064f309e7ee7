import { currency, text, timestamp, uuid, word } from '../../kernel/filters.ts';
import { orderSources } from '../../model/order.ts';
import { saleSchema, saleStatuses } from '../../model/sale.ts';
import { csvListOf, operation } from '../../operation/operation.ts';
import { listSales as listSaleRows } from '../../store/sales.ts';
import { readSales } from './read-sales.ts';

export const listSales = operation({
  name: 'list_sales',
  summary: 'List sales, newest first',
  method: 'GET',
  path: '/api/v1/m/sales',
  access: { permission: 'payments:read' },
  query: {
    paged: true,
    filters: {
      status: word(...saleStatuses),
      source: word(...orderSources),
      payment_method: word('lightning', 'cash'),
      currency,
      sold_at: timestamp,
      order_id: uuid,
      order_number: text,
    },
  },
  answer: csvListOf(saleSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listSaleRows(call.db, call.scope, page, filters);
    return { page, result: { rows: await readSales(call, rows), totalCount } };
  },
});
