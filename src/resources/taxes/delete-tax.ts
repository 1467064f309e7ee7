import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { deleteTax as removeTax } from '../../store/taxes.ts';

export const deleteTax = operation({
  name: 'delete_tax',
  summary: 'Remove a tax',
  description: 'Product types that name it lose it; sales keep what they were made with.',
  method: 'DELETE',
  path: '/api/v1/m/taxes/{id}',
  status: 204,
  access: { permission: 'catalog:write' },
  params: { id: 'Tax' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    await advanceCatalog(call.db, call.scope, call.now);
    if (!(await removeTax(call.db, call.scope, params.id!))) throw notFound('Tax');
  },
});
