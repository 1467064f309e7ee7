import type { Handle } from '../db/database.ts';
import { decimal, scaleDecimal } from '../kernel/decimal.ts';
import { atMost, exchangedRoundedHalfUp } from '../kernel/money.ts';
import type { OrderRow } from '../model/order.ts';
import { formatPrice } from '../rates/rate.ts';
import { listUnpaidInvoices, restateInvoice } from '../store/invoices.ts';
import { type RatesByMode, ratesOf } from './parts.ts';

/**
 * The order's currency changed, under its lock: all its unpaid invoices, which stay payable, count in the new one from
 * now on. Currencies are exchanged against the dollar, not through what bitcoin has done since, so that a payer is
 * credited what was shown (docs/decisions/a-changed-currency-restates-what-invoices-count-for.md).
 * @throws {AppError} `rate_unavailable` when there are such invoices and no fresh rate.
 */
export async function restateInvoices(
  tx: Handle,
  rates: RatesByMode,
  order: OrderRow,
  formerCurrency: string,
  now: Date,
): Promise<void> {
  const invoices = await listUnpaidInvoices(tx, order.id, now);
  if (invoices.length === 0) return;
  const rate = ratesOf(rates, order.livemode).quote(order.currency);
  for (const invoice of invoices) {
    const from = { currency: formerCurrency, price: decimal(invoice.btc_fiat_price) };
    // What bitcoin cost in the new currency when the invoice was made.
    const price = scaleDecimal(decimal(invoice.btc_usd_price), decimal(rate.btcFiat), decimal(rate.btcUsd));
    const to = { currency: order.currency, price };
    const terms = {
      quoted_cents: atMost(() => exchangedRoundedHalfUp(invoice.quoted_cents, from, to)),
      btc_fiat_price: formatPrice(price),
    };
    await restateInvoice(tx, invoice.id, terms, now);
  }
}
