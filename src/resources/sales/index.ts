import { getSale } from './get-sale.ts';
import { listSales } from './list-sales.ts';

export const saleOperations = [listSales, getSale];
