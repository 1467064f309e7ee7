import { notFound } from '../../kernel/errors.ts';
import { saleSchema } from '../../model/sale.ts';
import { json, operation } from '../../operation/operation.ts';
import { findSale } from '../../store/sales.ts';
import { readSales } from './read-sales.ts';

export const getSale = operation({
  name: 'get_sale',
  summary: 'Show a sale',
  method: 'GET',
  path: '/api/v1/m/sales/{id}',
  access: { permission: 'payments:read' },
  params: { id: 'Sale' },
  answer: json(saleSchema),
  fails: ['not_found'],
  // The interface's list of tools names none for sales.
  tool: false,
  async run(call, { params }) {
    const sale = await findSale(call.db, call.scope, params.id!);
    if (!sale) throw notFound('Sale');
    return (await readSales(call, [sale]))[0];
  },
});
