import { AppError } from '../kernel/errors.ts';
import { sha256Hex } from '../kernel/secrets.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { MerchantRow } from '../model/merchant.ts';
import type { OrderRow } from '../model/order.ts';
import { receiptUrl } from '../model/sale.ts';
import { scopeOf } from '../model/scope.ts';
import type { PeriodRow, SubscriptionRow } from '../model/subscription.ts';
import { findOpenInvoice, sumQuotedPaid } from '../store/invoices.ts';
import { findMerchant } from '../store/merchants.ts';
import { listOrdersById } from '../store/orders.ts';
import { listReceiptTokens } from '../store/sales.ts';
import { findSubscriptionByLink, listPeriods } from '../store/subscriptions.ts';
import { acceptSubscription } from './accept-subscription.ts';
import { cancelSubscription } from './change-subscription.ts';
import { openInvoice } from './open-invoice.ts';
import type { Parts } from './parts.ts';
import { simulatePayment } from './simulate-payment.ts';

/** What a customer sees of a subscription. */
export interface CustomerView {
  readonly subscription: SubscriptionRow;
  readonly merchant: MerchantRow;
  /** The last ones, newest first. */
  readonly periods: readonly {
    readonly period: PeriodRow;
    readonly order: OrderRow;
    /** Address of the receipt, once it is paid. */
    readonly receipt: string | undefined;
  }[];
  /** The order that is to be paid, with what was paid of it already, and its invoice once one was opened. */
  readonly unpaid:
    | { readonly order: OrderRow; readonly paidCents: number; readonly invoice: InvoiceRow | undefined }
    | undefined;
  /** The moment at which all of this was read. */
  readonly now: Date;
}

const shownPeriods = 24;

/** @param link the last part of the customer's address; undefined when there is no such subscription. */
export async function readCustomerView(parts: Parts, link: string): Promise<CustomerView | undefined> {
  const subscription = await findSubscriptionByLink(parts.db, sha256Hex(link));
  if (!subscription) return undefined;
  const now = parts.clock.now();
  const [merchant, periods] = await Promise.all([
    findMerchant(parts.db, subscription.merchant_id),
    listPeriods(parts.db, subscription.id, shownPeriods),
  ]);
  const orderIds = periods.map((period) => period.order_id);
  const [orders, receipts] = await Promise.all([
    listOrdersById(parts.db, orderIds),
    listReceiptTokens(parts.db, orderIds),
  ]);
  const shown = periods.map((period) => {
    const token = receipts.get(period.order_id);
    const receipt = token === undefined ? undefined : receiptUrl(token, parts.links.payUrl);
    return { period, order: orders.get(period.order_id)!, receipt };
  });
  const open = shown.find(({ period, order }) => !period.settled && order.status === 'pending');
  const unpaid = open && (await readUnpaid(parts, open.order, now));
  return { subscription, merchant: merchant!, periods: shown, unpaid, now };
}

async function readUnpaid({ db }: Parts, order: OrderRow, now: Date): Promise<CustomerView['unpaid']> {
  const [last, paidCents] = await Promise.all([findOpenInvoice(db, order.id, now), sumQuotedPaid(db, order.id)]);
  return { order, paidCents, invoice: last?.status === 'pending' ? last : undefined };
}

/** Accepts the invitation. @throws {AppError} 409 when it was withdrawn, 403 while the merchant is not active. */
export async function acceptByLink(parts: Parts, view: CustomerView): Promise<void> {
  checkActive(view);
  await parts.db.transaction((tx) => acceptSubscription(tx, parts, view.subscription));
}

/**
 * The customer wants no more. What is paid for, or free until a trial ends, goes on until its end; a period that is not
 * paid ends now, with its order.
 */
export async function cancelByLink(parts: Parts, seen: SubscriptionRow): Promise<void> {
  await parts.db.transaction((tx) => cancelSubscription(tx, parts, seen, 'at_paid_end'));
}

/**
 * Opens an invoice for the order that is to be paid, or finds the open one; does nothing when nothing is to be paid.
 * @throws {AppError} 403 while the merchant is not active, and what opening an invoice may end with.
 */
export async function payByLink(parts: Parts, view: CustomerView): Promise<void> {
  const { subscription, unpaid } = view;
  if (!unpaid) return;
  checkActive(view);
  const scope = scopeOf(subscription);
  await openInvoice(parts, scope, unpaid.order.id, parts.stopping);
}

/**
 * The payer of test mode pays what is to be paid; nothing happens when nothing is.
 * @throws {AppError} 403 in live mode, 422 when the invoice belongs to a real wallet.
 */
export async function simulateByLink(parts: Parts, { subscription, unpaid }: CustomerView): Promise<void> {
  if (subscription.livemode) throw new AppError('forbidden', 'Only a test subscription can be paid this way');
  if (!unpaid) return;
  const scope = scopeOf(subscription);
  const invoice = await openInvoice(parts, scope, unpaid.order.id, parts.stopping);
  await simulatePayment(parts, scope, invoice.id, { afterSeconds: 0, amountSats: undefined }, parts.stopping);
}

function checkActive({ merchant }: CustomerView): void {
  if (merchant.status !== 'active') throw new AppError('forbidden', `${merchant.name} cannot take payments now`);
}
