import type { Operation } from '../operation/operation.ts';
import { accessOperations } from './access/index.ts';
import { apiTokenOperations } from './api-tokens/index.ts';
import { auditLogOperations } from './audit-log/index.ts';
import { catalogOperations } from './catalog/index.ts';
import { channelOperations } from './channels/index.ts';
import { checkoutSessionOperations } from './checkout-sessions/index.ts';
import { directoryOperations } from './directory/index.ts';
import { discountOperations } from './discounts/index.ts';
import { documentOperations } from './documents/index.ts';
import { eventOperations } from './events/index.ts';
import { invoiceOperations } from './invoices/index.ts';
import { mediaKeyOperations } from './media-keys/index.ts';
import { merchantOperations } from './merchant/index.ts';
import { oauthConnectionOperations } from './oauth-connections/index.ts';
import { orderOperations } from './orders/index.ts';
import { paymentRequestOperations } from './payment-requests/index.ts';
import { paymentOperations } from './payments/index.ts';
import { planOperations } from './plans/index.ts';
import { productTypeOperations } from './product-types/index.ts';
import { productOperations } from './products/index.ts';
import { rateOperations } from './rates/index.ts';
import { saleOperations } from './sales/index.ts';
import { sessionOperations } from './sessions/index.ts';
import { subscriptionOperations } from './subscriptions/index.ts';
import { taxOperations } from './taxes/index.ts';
import { testClockOperations } from './test-clock/index.ts';
import { toolCallOperations } from './tool-calls/index.ts';
import { transactionOperations } from './transactions/index.ts';
import { walletOperations } from './wallets/index.ts';
import { webhookOperations } from './webhooks/index.ts';

/** Everything the API can do. Routes, OpenAPI, tools and the endpoint table of the docs come from this list. */
export const operations: readonly Operation[] = [
  ...orderOperations,
  ...invoiceOperations,
  ...paymentOperations,
  ...paymentRequestOperations,
  ...checkoutSessionOperations,
  ...saleOperations,
  ...transactionOperations,
  ...productOperations,
  ...productTypeOperations,
  ...taxOperations,
  ...discountOperations,
  ...catalogOperations,
  ...accessOperations,
  ...mediaKeyOperations,
  ...walletOperations,
  ...webhookOperations,
  ...eventOperations,
  ...merchantOperations,
  ...documentOperations,
  ...sessionOperations,
  ...planOperations,
  ...apiTokenOperations,
  ...toolCallOperations,
  ...oauthConnectionOperations,
  ...auditLogOperations,
  ...rateOperations,
  ...subscriptionOperations,
  ...testClockOperations,
  ...channelOperations,
  ...directoryOperations,
];
