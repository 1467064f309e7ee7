import type { Operation } from '../operation/operation.ts';
import { apiTokenOperations } from './api-tokens/index.ts';
import { catalogOperations } from './catalog/index.ts';
import { discountOperations } from './discounts/index.ts';
import { eventOperations } from './events/index.ts';
import { invoiceOperations } from './invoices/index.ts';
import { merchantOperations } from './merchant/index.ts';
import { orderOperations } from './orders/index.ts';
import { paymentRequestOperations } from './payment-requests/index.ts';
import { paymentOperations } from './payments/index.ts';
import { productTypeOperations } from './product-types/index.ts';
import { productOperations } from './products/index.ts';
import { rateOperations } from './rates/index.ts';
import { saleOperations } from './sales/index.ts';
import { taxOperations } from './taxes/index.ts';
import { transactionOperations } from './transactions/index.ts';
import { walletOperations } from './wallets/index.ts';
import { webhookOperations } from './webhooks/index.ts';

/** Everything the API can do. Routes, OpenAPI, tools and the endpoint table of the docs come from this list. */
export const operations: readonly Operation[] = [
  ...orderOperations,
  ...invoiceOperations,
  ...paymentOperations,
  ...paymentRequestOperations,
  ...saleOperations,
  ...transactionOperations,
  ...productOperations,
  ...productTypeOperations,
  ...taxOperations,
  ...discountOperations,
  ...catalogOperations,
  ...walletOperations,
  ...webhookOperations,
  ...eventOperations,
  ...merchantOperations,
  ...apiTokenOperations,
  ...rateOperations,
];
