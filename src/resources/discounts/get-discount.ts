import { notFound } from '../../kernel/errors.ts';
import { discountSchema, toDiscount } from '../../model/discount.ts';
import { json, operation } from '../../operation/operation.ts';
import { findDiscount } from '../../store/discounts.ts';

export const getDiscount = operation({
  name: 'get_discount',
  summary: 'Show a discount',
  method: 'GET',
  path: '/api/v1/m/discounts/{id}',
  access: { permission: 'catalog:read' },
  params: { id: 'Discount' },
  answer: json(discountSchema),
  fails: ['not_found'],
  tool: false,
  async run(call, { params }) {
    const discount = await findDiscount(call.db, call.scope, params.id!);
    if (!discount) throw notFound('Discount');
    return toDiscount(discount);
  },
});
