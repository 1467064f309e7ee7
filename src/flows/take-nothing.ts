import type { Handle } from '../db/database.ts';
import { formatAmount } from '../kernel/money.ts';
import type { OrderRow } from '../model/order.ts';
import { confirmAtOnce } from './confirm-at-once.ts';

/** An order of 0: nothing is asked of a wallet, and a payment of 0 sats says that all is paid. */
export async function takeNothing(tx: Handle, order: OrderRow, now: Date): Promise<OrderRow> {
  const terms = {
    kind: 'lightning' as const,
    amount_sats: 0,
    amount_cents: 0,
    btc_usd_price: order.btc_usd_price,
    btc_fiat_price: order.btc_fiat_price,
    usd_value: '0.00',
    fiat_value: formatAmount(0, order.currency),
    usd_variance_cents: 0,
    fiat_variance_cents: 0,
    variance_percentage: '0.00',
  };
  return (await confirmAtOnce(tx, order, terms, now)).order;
}
