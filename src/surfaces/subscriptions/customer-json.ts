import type { CustomerView } from '../../flows/customer-subscription.ts';
import { toSubscription } from '../../model/subscription.ts';

/** The customer's page for programs. What is the merchant's own business stays out. */
export function customerJson({ subscription, merchant, periods, unpaid, now }: CustomerView) {
  const { customer_id: _id, metadata: _own, customer_email: _email, ...shown } = toSubscription(subscription);
  return {
    ...shown,
    merchant: { name: merchant.name },
    periods: periods.map(({ period, order, receipt }) => ({
      order_number: order.order_number,
      status: order.status,
      total_amount_cents: order.total_amount_cents,
      currency: order.currency,
      billing_period_start: period.starts_at.toISOString(),
      billing_period_end: period.ends_at.toISOString(),
      receipt_url: receipt ?? null,
    })),
    invoice: unpaid?.invoice
      ? {
          payment_request: unpaid.invoice.bolt11,
          amount_sats: unpaid.invoice.amount_sats,
          expires_at: unpaid.invoice.expires_at.toISOString(),
          time_remaining: Math.max(0, Math.floor((unpaid.invoice.expires_at.getTime() - now.getTime()) / 1000)),
        }
      : null,
  };
}
