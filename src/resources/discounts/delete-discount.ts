import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { deleteDiscount as removeDiscount } from '../../store/discounts.ts';

export const deleteDiscount = operation({
  name: 'delete_discount',
  summary: 'Remove a discount; sales keep what they were made with',
  method: 'DELETE',
  path: '/api/v1/m/discounts/{id}',
  status: 204,
  access: { permission: 'catalog:write' },
  params: { id: 'Discount' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params }) {
    await advanceCatalog(call.db, call.scope, call.now);
    if (!(await removeDiscount(call.db, call.scope, params.id!))) throw notFound('Discount');
  },
});
