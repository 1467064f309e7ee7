import { boolean, text, word } from '../../kernel/filters.ts';
import { discountKinds, discountSchema, toDiscount } from '../../model/discount.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listDiscounts as listDiscountRows } from '../../store/discounts.ts';

export const listDiscounts = operation({
  name: 'list_discounts',
  summary: 'List discounts, newest first',
  method: 'GET',
  path: '/api/v1/m/discounts',
  access: { permission: 'catalog:read' },
  query: { paged: true, filters: { name: text, code: text, kind: word(...discountKinds), enabled: boolean } },
  answer: listOf(discountSchema),
  tool: false,
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listDiscountRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toDiscount), totalCount } };
  },
});
