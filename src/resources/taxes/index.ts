import { createTax } from './create-tax.ts';
import { deleteTax } from './delete-tax.ts';
import { getTax } from './get-tax.ts';
import { listTaxes } from './list-taxes.ts';
import { updateTax } from './update-tax.ts';

export const taxOperations = [listTaxes, createTax, getTax, updateTax, deleteTax];
