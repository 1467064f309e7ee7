import { currency, integer, timestamp, uuid, word } from '../../kernel/filters.ts';
import { toTransaction, transactionSchema, transactionTypes } from '../../model/transaction.ts';
import { csvListOf, operation } from '../../operation/operation.ts';
import { listTransactions as listTransactionRows } from '../../store/transactions.ts';

export const listTransactions = operation({
  name: 'list_transactions',
  summary: 'List movements of money, newest first',
  method: 'GET',
  path: '/api/v1/transactions',
  access: { permission: 'payments:read' },
  query: {
    paged: true,
    filters: {
      status: word('confirmed'),
      type: word(...transactionTypes),
      currency,
      created_at: timestamp,
      amount_sats: integer,
      order_id: uuid,
    },
  },
  answer: csvListOf(transactionSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listTransactionRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toTransaction), totalCount } };
  },
});
