import { getSale } from './get-sale.ts';
import { listSales } from './list-sales.ts';
import { refundSale } from './refund-sale.ts';

export const saleOperations = [listSales, getSale, refundSale];
