import type { InvoiceRow } from '../model/invoice.ts';
import { keepInvoicesViewed, markInvoiceViewed } from '../store/invoice-watch.ts';
import { findInvoiceForJob } from '../store/invoices.ts';
import { isStreamOpen } from '../store/wallet-streams.ts';
import { isKnownByPush } from './look-plan.ts';
import type { Parts } from './parts.ts';

const freshMillis = 1000;
const patienceMillis = 2000;

/**
 * Somebody asks how an invoice stands: the watcher is told to look at it now and more often for a while, and its answer
 * is waited for, at most 2 s. None is waited for when the last look is under a second old, or the wallet tells by itself.
 * @returns the invoice as it is then.
 */
export async function waitForLook(parts: Parts, invoice: InvoiceRow): Promise<InvoiceRow> {
  if (invoice.paid_at !== null || invoice.next_look_at === null) return invoice;
  const now = parts.clock.now();
  if (invoice.last_look_at && Math.abs(now.getTime() - invoice.last_look_at.getTime()) < freshMillis) return invoice;
  if (isKnownByPush(invoice, now) && (await isStreamOpen(parts.db, invoice))) {
    await keepInvoicesViewed(parts.db, [invoice.id], now);
    return invoice;
  }

  let stop = () => {};
  let timer: NodeJS.Timeout | undefined;
  const looked = new Promise<void>((resolve) => {
    stop = parts.db.onWake('invoice_changed', (subject) => subject === invoice.id && resolve());
    timer = setTimeout(resolve, patienceMillis);
  });
  try {
    await markInvoiceViewed(parts.db, invoice.id, now);
    parts.db.wake('invoice_due', invoice.id);
    await looked;
  } finally {
    stop();
    clearTimeout(timer);
  }
  return (await findInvoiceForJob(parts.db, invoice.id, parts.clock.now())) ?? invoice;
}
