import { setTimeout as sleep } from 'node:timers/promises';
import { nilUuid } from '../kernel/ids.ts';
import { type InvoiceFact, WalletFault } from '../lightning/connector.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import { listInvoicesForOperator } from '../store/invoices.ts';
import { findPaymentOfInvoice } from '../store/payments.ts';
import { LookDeferred } from '../wallets/budget.ts';
import { askWallet } from './ask-wallet.ts';
import type { Parts } from './parts.ts';
import { settlePayment } from './settle-payment.ts';

export type Difference =
  /** The wallet has the money, our books don't. */
  | { kind: 'not_in_our_books'; invoice: InvoiceRow; receivedSats: number | null; fixed: boolean }
  /** Our books have a payment that the wallet does not confirm now. */
  | { kind: 'not_at_the_wallet'; invoice: InvoiceRow; walletState: string }
  | { kind: 'other_amount'; invoice: InvoiceRow; ourSats: number; walletSats: number }
  /** Nobody can say: the wallet did not answer. */
  | { kind: 'no_answer'; invoice: InvoiceRow; reason: string };

interface ReconcileOptions {
  /** Only invoices made at or after this moment. */
  since: Date | undefined;
  /** Record the payments that our books lack. Nothing else is ever changed. */
  fix: boolean;
  signal: AbortSignal;
  onProgress?: (looked: number) => void;
}

const batch = 100;

/**
 * Asks the wallet about every invoice, paid, expired or long forgotten, and yields where its word and our books differ.
 * Hosts are asked within their budgets, so a long list takes its time.
 */
export async function* reconcile(parts: Parts, options: ReconcileOptions): AsyncGenerator<Difference> {
  let last = nilUuid;
  let looked = 0;
  for (;;) {
    const now = parts.clock.now();
    const invoices = await listInvoicesForOperator(parts.db, {
      afterId: last,
      since: options.since,
      limit: batch,
      now,
    });
    for (const invoice of invoices) {
      options.signal.throwIfAborted();
      const difference = await compare(parts, invoice, options);
      options.onProgress?.(++looked);
      if (difference) yield difference;
    }
    if (invoices.length < batch) return;
    last = invoices.at(-1)!.id;
  }
}

async function compare(
  parts: Parts,
  invoice: InvoiceRow,
  { fix, signal }: ReconcileOptions,
): Promise<Difference | undefined> {
  let fact: InvoiceFact;
  try {
    fact = await askPatiently(parts, invoice, signal);
  } catch (error) {
    if (!(error instanceof WalletFault)) throw error;
    return { kind: 'no_answer', invoice, reason: error.message };
  }
  const payment = await findPaymentOfInvoice(parts.db, invoice.id);
  if (fact.state !== 'settled') {
    // A wallet that forgets old invoices says "unknown": that contradicts nothing.
    if (!payment || fact.state === 'unknown') return undefined;
    return { kind: 'not_at_the_wallet', invoice, walletState: fact.state };
  }
  const walletSats = fact.receivedMsat === undefined ? null : Number(fact.receivedMsat / 1000n);
  if (!payment) {
    if (fix) await settlePayment(parts, invoice.id, fact);
    return { kind: 'not_in_our_books', invoice, receivedSats: walletSats, fixed: fix };
  }
  if (walletSats !== null && walletSats !== payment.amount_sats) {
    return { kind: 'other_amount', invoice, ourSats: payment.amount_sats!, walletSats };
  }
  return undefined;
}

/** Waits for the host's budget: nobody is in a hurry here. */
async function askPatiently(parts: Parts, invoice: InvoiceRow, signal: AbortSignal): Promise<InvoiceFact> {
  for (;;) {
    try {
      return await askWallet(parts, invoice, signal);
    } catch (error) {
      if (!(error instanceof LookDeferred)) throw error;
      await sleep(error.waitMillis, undefined, { signal });
    }
  }
}
