import { Type } from 'typebox';
import { notFound } from '../../kernel/errors.ts';
import { inputObject } from '../../model/fields.ts';
import { type TaxRow, taxSchema, toTax } from '../../model/tax.ts';
import { json, operation } from '../../operation/operation.ts';
import { advanceCatalog } from '../../store/catalog-versions.ts';
import { findTax, saveTax } from '../../store/taxes.ts';
import { rateInput, readRate, taxMembers, taxNameInput } from './tax-input.ts';

export const updateTax = operation({
  name: 'update_tax',
  summary: 'Change a tax',
  description: 'Members that are left out stay as they are. Sales keep the rate they were made at.',
  method: 'PATCH',
  path: '/api/v1/m/taxes/{id}',
  access: { permission: 'catalog:write' },
  params: { id: 'Tax' },
  body: inputObject({
    tax: inputObject({ name: Type.Optional(taxNameInput), rate: Type.Optional(rateInput), ...taxMembers }),
  }),
  answer: json(taxSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  async run(call, { params, body }) {
    const { name, rate, inclusive, enabled } = body.tax;
    await advanceCatalog(call.db, call.scope, call.now);
    const before = await findTax(call.db, call.scope, params.id!);
    if (!before) throw notFound('Tax');
    const tax: TaxRow = {
      ...before,
      name: name ?? before.name,
      rate: rate === undefined ? before.rate : readRate(rate),
      inclusive: inclusive ?? before.inclusive,
      enabled: enabled ?? before.enabled,
      updated_at: call.now,
    };
    await saveTax(call.db, call.scope, tax);
    return toTax(tax);
  },
});
