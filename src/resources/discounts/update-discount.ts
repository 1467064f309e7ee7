import { Type } from 'typebox';
import { notFound } from '../../kernel/errors.ts';
import { discountKinds, discountSchema, toDiscount } from '../../model/discount.ts';
import { inputObject, oneOf, optional } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findDiscount, saveDiscount } from '../../store/discounts.ts';
import { discountMembers, discountNameInput, withDiscountBody } from './discount-input.ts';

export const updateDiscount = operation({
  name: 'update_discount',
  summary: 'Change a discount',
  description: 'Members that are left out stay as they are. Sales keep what they were made with.',
  method: 'PATCH',
  path: '/api/v1/m/discounts/{id}',
  access: { permission: 'catalog:write' },
  params: { id: 'Discount' },
  body: inputObject({
    discount: inputObject({
      name: Type.Optional(discountNameInput),
      kind: optional(oneOf(discountKinds)),
      ...discountMembers,
    }),
  }),
  answer: json(discountSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    await advanceCatalog(call.db, call.scope, call.now);
    const before = await findDiscount(call.db, call.scope, params.id!);
    if (!before) throw notFound('Discount');
    const discount = await withDiscountBody(call, before, body.discount);
    await saveDiscount(call.db, call.scope, discount);
    return toDiscount(discount);
  },
});
