import { recordEvents } from '../events/outbox.ts';
import { type InvoiceFact, type InvoiceHandle, WalletFault } from '../lightning/connector.ts';
import { type InvoiceRow, toInvoice } from '../model/invoice.ts';
import type { PaymentRow } from '../model/payment.ts';
import { markInvoiceExpiredEvent, scheduleLook } from '../store/invoice-watch.ts';
import { lockInvoiceForJob } from '../store/invoices.ts';
import { lockOrder } from '../store/orders.ts';
import { findWalletForJob } from '../store/wallets.ts';
import { handlePlace } from './issue-invoice.ts';
import { nextLookAt } from './look-plan.ts';
import type { Parts } from './parts.ts';
import { settlePayment } from './settle-payment.ts';

/**
 * Asks the wallet about one invoice and acts on what it says. A wallet that cannot be reached says nothing: the invoice
 * stays as it is and is asked about again.
 * @returns the payment when the invoice is settled.
 */
export async function lookUpInvoice(
  parts: Parts,
  invoice: InvoiceRow,
  signal: AbortSignal,
): Promise<PaymentRow | undefined> {
  const askedAt = parts.clock.now();
  const fact = await askWallet(parts, invoice, signal);
  if (fact?.state === 'settled') return settlePayment(parts, invoice.id, fact);
  const now = parts.clock.now();
  // A wallet that was asked before the end and answers after it has said nothing of the seconds in between.
  const askedInTime = askedAt < invoice.expires_at;
  if (fact && fact.state !== 'held' && !askedInTime && invoice.expired_event_at === null) {
    await recordExpiry(parts, invoice, now);
  }
  const heldAt = fact === undefined ? invoice.held_at : fact.state === 'held' ? (invoice.held_at ?? now) : null;
  await scheduleLook(parts.db, invoice, nextLookAt(invoice, askedInTime ? askedAt : now), heldAt);
  parts.db.wake('invoice_changed', invoice.id);
  return undefined;
}

async function askWallet(parts: Parts, invoice: InvoiceRow, signal: AbortSignal): Promise<InvoiceFact | undefined> {
  const wallet = await findWalletForJob(parts.db, invoice.wallet_id);
  if (!wallet) return undefined;
  const handle = JSON.parse(parts.sealer.open(invoice.handle, handlePlace(invoice.id)).toString()) as InvoiceHandle;
  try {
    return await parts.wallets.lookupInvoice(
      wallet,
      { ref: invoice.ref, paymentHash: invoice.payment_hash, bolt11: invoice.bolt11, handle },
      signal,
    );
  } catch (error) {
    if (error instanceof WalletFault) return undefined;
    throw error;
  }
}

async function recordExpiry(parts: Parts, invoice: InvoiceRow, now: Date): Promise<void> {
  const scope = { merchantId: invoice.merchant_id, livemode: invoice.livemode };
  await parts.db.transaction(async (tx) => {
    await lockOrder(tx, scope, invoice.order_id);
    if (!(await markInvoiceExpiredEvent(tx, invoice.id, now))) return;
    const expired = (await lockInvoiceForJob(tx, invoice.id, now))!;
    await recordEvents(
      tx,
      scope,
      [{ kind: 'invoice.expired', subjectId: invoice.id, data: toInvoice(expired, now) }],
      now,
    );
    tx.afterCommit(() => parts.db.wake('event_recorded', invoice.merchant_id));
  });
}
