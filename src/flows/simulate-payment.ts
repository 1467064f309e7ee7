import { addSeconds } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, invalid, notFound } from '../kernel/errors.ts';
import { msatsForSats } from '../kernel/money.ts';
import type { SimulatedOutcome, SimulatedPayer } from '../model/simulated-payment.ts';
import { lookNoLaterThan } from '../store/invoice-watch.ts';
import { findInvoice } from '../store/invoices.ts';
import { findPaymentOfInvoice } from '../store/payments.ts';
import { insertSimulatedPayment } from '../store/simulated-payments.ts';
import { lookUpInvoice } from './look-up-invoice.ts';
import type { Parts } from './parts.ts';

/**
 * A payer pays an invoice of the simulated wallet. It goes the way every payment goes: the wallet's books change, the
 * wallet is asked, its answer settles the invoice. Paying again answers the same payment.
 * @throws {AppError} 404, or 422 when the invoice belongs to a real wallet.
 */
export async function simulatePayment(
  parts: Parts,
  scope: Scope,
  invoiceId: string,
  payer: SimulatedPayer,
  signal: AbortSignal,
): Promise<SimulatedOutcome> {
  const now = parts.clock.now();
  const invoice = await findInvoice(parts.db, scope, invoiceId, now);
  if (!invoice) throw notFound('Invoice');
  if (invoice.connection !== 'simulated') {
    throw invalid('only invoices of the simulated test wallet can be paid this way');
  }
  const known = await findPaymentOfInvoice(parts.db, invoice.id);
  if (known) return { payment: known };
  const settlesAt = addSeconds(now, payer.afterSeconds);
  const amountSats = payer.amountSats ?? invoice.amount_sats;
  await insertSimulatedPayment(
    parts.db,
    {
      payment_hash: invoice.payment_hash,
      settles_at: settlesAt,
      received_msat: msatsForSats(amountSats),
      with_preimage: true,
    },
    now,
  );
  if (settlesAt > now) {
    await lookNoLaterThan(parts.db, invoice.id, settlesAt);
    return { invoiceId: invoice.id, settlesAt };
  }
  const payment = await lookUpInvoice(parts, invoice, signal);
  if (!payment) throw new AppError('wallet_unavailable', 'The simulated wallet is set to fail or to hold payments');
  return { payment };
}
