import { Type } from 'typebox';
import { notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { nameInput, optional, textInput } from '../../model/fields.ts';
import { positionInput } from '../../model/position.ts';
import type { Call } from '../../operation/operation.ts';
import { countTaxes } from '../../store/taxes.ts';

const mostTaxes = 20;

export const productTypeNameInput = nameInput('Heading in the catalog');

/** The members that create and update share. */
export const productTypeMembers = {
  position: optional(positionInput),
  external_ref: optional(textInput(200, 'Your own reference')),
  tax_ids: optional(
    Type.Array(textInput(64, 'Tax'), { maxItems: mostTaxes, description: 'Taxes that its products bear' }),
  ),
};

/** @returns the ids without repetitions. @throws {AppError} 404 when one is none of the caller's taxes. */
export async function readTaxIds(call: Call, ids: readonly string[]): Promise<string[]> {
  const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (!unique.every(isUuid) || (await countTaxes(call.db, call.scope, unique)) < unique.length) throw notFound('Tax');
  return unique;
}
