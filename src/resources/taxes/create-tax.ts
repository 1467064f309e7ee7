import { newId } from '../../kernel/ids.ts';
import { inputObject } from '../../model/fields.ts';
import { type TaxRow, taxSchema, toTax } from '../../model/tax.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { insertTax } from '../../store/taxes.ts';
import { rateInput, readRate, taxMembers, taxNameInput } from './tax-input.ts';

export const createTax = operation({
  name: 'create_tax',
  summary: 'Add a tax that product types can name',
  description: 'It is enabled and comes on top of prices unless you say otherwise.',
  method: 'POST',
  path: '/api/v1/m/taxes',
  status: 201,
  access: { permission: 'catalog:write' },
  body: inputObject({ tax: inputObject({ name: taxNameInput, rate: rateInput, ...taxMembers }) }),
  answer: json(taxSchema),
  tool: false,
  idempotency: 'database',
  async run(call, { body }) {
    const { name, rate, inclusive, enabled } = body.tax;
    const tax: TaxRow = {
      id: newId(),
      merchant_id: call.scope.merchantId,
      livemode: call.scope.livemode,
      name,
      rate: readRate(rate),
      inclusive: inclusive ?? false,
      enabled: enabled ?? true,
      created_at: call.now,
      updated_at: call.now,
    };
    await advanceCatalog(call.db, call.scope, call.now);
    await insertTax(call.db, tax);
    return toTax(tax);
  },
});
