import { createProductType } from './create-product-type.ts';
import { deleteProductType } from './delete-product-type.ts';
import { getProductType } from './get-product-type.ts';
import { listProductTypes } from './list-product-types.ts';
import { updateProductType } from './update-product-type.ts';

export const productTypeOperations = [
  listProductTypes,
  createProductType,
  getProductType,
  updateProductType,
  deleteProductType,
];
