import { currency, integer, timestamp, uuid } from '../../kernel/filters.ts';
import { paymentViewSchema } from '../../model/payment-view.ts';
import { csvListOf, operation } from '../../operation/operation.ts';
import { listPayments as listPaymentRows } from '../../store/payments.ts';
import { readPaymentViews } from './read-payment-views.ts';

export const listPayments = operation({
  name: 'list_payments',
  summary: 'List payments with their orders and invoices, newest first',
  method: 'GET',
  path: '/api/v1/m/payments',
  access: { permission: 'payments:read' },
  query: {
    paged: true,
    filters: { amount_sats: integer, confirmed_at: timestamp, currency, order_id: uuid },
  },
  answer: csvListOf(paymentViewSchema),
  tool: {
    description: 'List money that arrived, newest first, by time, amount, currency or order.',
  },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listPaymentRows(call.db, call.scope, page, filters);
    return { page, result: { rows: await readPaymentViews(call, rows), totalCount } };
  },
});
