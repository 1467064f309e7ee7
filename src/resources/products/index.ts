import { createPaymentLink } from './create-payment-link.ts';
import { createProduct } from './create-product.ts';
import { deleteProduct } from './delete-product.ts';
import { getProduct } from './get-product.ts';
import { listProducts } from './list-products.ts';
import { updateProduct } from './update-product.ts';

export const productOperations = [
  listProducts,
  createProduct,
  createPaymentLink,
  getProduct,
  updateProduct,
  deleteProduct,
];
