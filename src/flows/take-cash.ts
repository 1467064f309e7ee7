import type { Handle } from '../db/database.ts';
import type { OrderRow } from '../model/order.ts';
import type { PaymentRow } from '../model/payment.ts';
import { sumQuotedPaid } from '../store/invoices.ts';
import { confirmAtOnce } from './confirm-at-once.ts';

/**
 * Cash was taken for a pending cash order that this transaction owns: a payment without invoice or preimage, and the
 * order is paid. An open invoice of the order closes; it stays watched.
 */
export async function takeCash(
  tx: Handle,
  order: OrderRow,
  now: Date,
): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const terms = {
    kind: 'cash' as const,
    amount_sats: null,
    amount_cents: order.total_amount_cents - (await sumQuotedPaid(tx, order.id)),
    btc_usd_price: null,
    btc_fiat_price: null,
    usd_value: null,
    fiat_value: null,
    usd_variance_cents: null,
    fiat_variance_cents: null,
    variance_percentage: null,
  };
  return confirmAtOnce(tx, order, terms, now);
}
