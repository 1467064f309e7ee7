import { notFound } from '../../kernel/errors.ts';
import { taxSchema, toTax } from '../../model/tax.ts';
import { json, operation } from '../../operation/operation.ts';
import { findTax } from '../../store/taxes.ts';

export const getTax = operation({
  name: 'get_tax',
  summary: 'Show a tax',
  method: 'GET',
  path: '/api/v1/m/taxes/{id}',
  access: { permission: 'catalog:read' },
  params: { id: 'Tax' },
  answer: json(taxSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const tax = await findTax(call.db, call.scope, params.id!);
    if (!tax) throw notFound('Tax');
    return toTax(tax);
  },
});
