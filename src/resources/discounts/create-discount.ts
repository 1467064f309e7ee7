import { newId } from '../../kernel/ids.ts';
import { discountKinds, discountSchema, toDiscount } from '../../model/discount.ts';
import { inputObject, oneOf } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { insertDiscount } from '../../store/discounts.ts';
import { discountMembers, discountNameInput, withDiscountBody } from './discount-input.ts';

export const createDiscount = operation({
  name: 'create_discount',
  summary: 'Add a discount',
  description: 'It is enabled, and a fixed one is in the merchant’s currency, unless you say otherwise.',
  method: 'POST',
  path: '/api/v1/m/discounts',
  status: 201,
  access: { permission: 'catalog:write' },
  body: inputObject({
    discount: inputObject({ name: discountNameInput, kind: oneOf(discountKinds), ...discountMembers }),
  }),
  answer: json(discountSchema),
  tool: false,
  idempotency: 'database',
  async run(call, { body }) {
    await advanceCatalog(call.db, call.scope, call.now);
    const discount = await withDiscountBody(
      call,
      {
        id: newId(),
        merchant_id: call.scope.merchantId,
        livemode: call.scope.livemode,
        name: body.discount.name,
        code: null,
        kind: body.discount.kind,
        percent: null,
        amount_cents: null,
        currency: null,
        enabled: true,
        starts_at: null,
        ends_at: null,
        created_at: call.now,
        updated_at: call.now,
      },
      body.discount,
    );
    await insertDiscount(call.db, discount);
    return toDiscount(discount);
  },
});
