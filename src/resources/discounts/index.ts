import { createDiscount } from './create-discount.ts';
import { deleteDiscount } from './delete-discount.ts';
import { getDiscount } from './get-discount.ts';
import { listDiscounts } from './list-discounts.ts';
import { updateDiscount } from './update-discount.ts';

export const discountOperations = [listDiscounts, createDiscount, getDiscount, updateDiscount, deleteDiscount];
