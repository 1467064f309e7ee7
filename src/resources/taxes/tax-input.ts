import { Type } from 'typebox';
import { invalid } from '../../kernel/errors.ts';
import { nameInput, optional, textInput } from '../../model/fields.ts';
import { readPercent } from '../../model/percent.ts';

export const taxNameInput = nameInput('As it stands on receipts');
export const rateInput = textInput(10, 'Percent, a decimal string such as "8.25"');

/** The members that create and update share. */
export const taxMembers = {
  inclusive: optional(Type.Boolean({ description: 'Whether prices already hold it' })),
  enabled: optional(Type.Boolean()),
};

/** @throws {AppError} 422. */
export function readRate(text: string): string {
  const rate = readPercent(text);
  if (rate === undefined) throw invalid('rate must be a decimal from 0 to 100 with at most 4 decimals, such as "8.25"');
  return rate;
}
