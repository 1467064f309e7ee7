import { recordEvents } from '../events/outbox.ts';
import { type InvoiceFact, WalletFault } from '../lightning/connector.ts';
import { type InvoiceRow, toInvoice } from '../model/invoice.ts';
import type { PaymentRow } from '../model/payment.ts';
import { scopeOf } from '../model/scope.ts';
import { markInvoiceExpiredEvent, scheduleLook } from '../store/invoice-watch.ts';
import { findOpenInvoice, lockInvoiceForJob, supersedeOpenInvoice } from '../store/invoices.ts';
import { lockOrder } from '../store/orders.ts';
import { isStreamOpen } from '../store/wallet-streams.ts';
import { LookDeferred } from '../wallets/budget.ts';
import { askWallet } from './ask-wallet.ts';
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
  const fact = await ask(parts, invoice, signal);
  const now = parts.clock.now();
  parts.metrics.looks.inc({ connection: invoice.connection, outcome: outcomeOf(fact) });
  if (fact instanceof LookDeferred) {
    const mayAskAt = new Date(now.getTime() + fact.waitMillis);
    await scheduleLook(parts.db, invoice, { nextLookAt: mayAskAt, heldAt: invoice.held_at, lookedAt: null });
    return undefined;
  }
  if (fact === undefined && signal.aborted) {
    // We called it off, because the process stops: still due, so that the next start asks at once.
    const { next_look_at: nextLookAt, held_at: heldAt } = invoice;
    await scheduleLook(parts.db, invoice, { nextLookAt, heldAt, lookedAt: null });
    return undefined;
  }
  if (fact?.state === 'settled') return settlePayment(parts, invoice.id, fact);
  if (fact?.state === 'cancelled' && invoice.superseded_at === null) await closeCancelled(parts, invoice, now);
  if (fact && fact.state !== 'held' && askedAt >= invoice.expires_at && invoice.expired_event_at === null) {
    await recordExpiry(parts, invoice, now);
  }
  // A wallet asked before the end that answers after it has said nothing of the time in between: it is asked at once.
  const endedMeanwhile = askedAt < invoice.expires_at && now >= invoice.expires_at;
  const heldAt = fact === undefined ? invoice.held_at : fact.state === 'held' ? (invoice.held_at ?? now) : null;
  const isPushed = fact !== undefined && (await isStreamOpen(parts.db, invoice));
  const next = nextLookAt(invoice, endedMeanwhile ? askedAt : now, isPushed);
  await scheduleLook(parts.db, invoice, { nextLookAt: next, heldAt, lookedAt: askedAt });
  parts.db.wake('invoice_changed', invoice.id);
  return undefined;
}

function outcomeOf(fact: InvoiceFact | LookDeferred | undefined): string {
  if (fact instanceof LookDeferred) return 'deferred';
  return fact?.state ?? 'unreachable';
}

/** undefined: the wallet could not be asked, which says nothing about the invoice. */
async function ask(
  parts: Parts,
  invoice: InvoiceRow,
  signal: AbortSignal,
): Promise<InvoiceFact | LookDeferred | undefined> {
  try {
    return await askWallet(parts, invoice, signal);
  } catch (error) {
    if (error instanceof LookDeferred) return error;
    if (error instanceof WalletFault) return undefined;
    throw error;
  }
}

/** The wallet lets nobody pay it any more: it reads expired, and the payer gets another one. */
async function closeCancelled(parts: Parts, invoice: InvoiceRow, now: Date): Promise<void> {
  await parts.db.transaction(async (tx) => {
    await lockOrder(tx, scopeOf(invoice), invoice.order_id);
    const open = await findOpenInvoice(tx, invoice.order_id, now);
    if (open?.id === invoice.id) await supersedeOpenInvoice(tx, invoice.order_id, now);
  });
}

async function recordExpiry(parts: Parts, invoice: InvoiceRow, now: Date): Promise<void> {
  const scope = scopeOf(invoice);
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
  });
}
