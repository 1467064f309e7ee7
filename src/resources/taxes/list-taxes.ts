import { boolean, text } from '../../kernel/filters.ts';
import { taxSchema, toTax } from '../../model/tax.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listTaxes as listTaxRows } from '../../store/taxes.ts';

export const listTaxes = operation({
  name: 'list_taxes',
  summary: 'List taxes, newest first',
  method: 'GET',
  path: '/api/v1/m/taxes',
  access: { permission: 'catalog:read' },
  query: { paged: true, filters: { name: text, enabled: boolean } },
  answer: listOf(taxSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listTaxRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toTax), totalCount } };
  },
});
