import { lookUpInvoice } from '../flows/look-up-invoice.ts';
import type { Parts } from '../flows/parts.ts';
import { Pace } from '../kernel/pace.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import { bringLooksForward, claimDueInvoices, findNextDue } from '../store/invoice-watch.ts';
import { type Job, startJob } from './job.ts';

/** Longer than one look-up may take (8 s); a process that dies gives its invoices back after this. */
const leaseSeconds = 20;
const mostAtOnce = 100;
/** A wallet that hangs holds this many look-ups, and nobody else's. */
const mostPerWallet = 10;
const longestSleepMillis = 1000;
/** A clock that is set back by less puts no look-up off that anybody waits for. */
const clockToleranceMillis = 1000;

/**
 * Asks wallets about unpaid invoices when they are due. All of it lives in the rows: after a restart whatever is due is
 * looked at, whatever was claimed by a dead process comes back with its lease.
 */
export function watchInvoices(parts: Parts): Job {
  const { db, clock, log } = parts;
  const pace = new Pace();
  const underWay = new Set<Promise<void>>();
  const perWallet = new Map<string, number>();
  /** Due invoices were left because too much was under way. */
  let waiting = false;
  /** How far the clock is ahead of a count that nobody sets; it may have been set back before we started. */
  let lead = Infinity;
  const stopListening = db.onWake('invoice_due', () => pace.wake());

  async function look(invoice: InvoiceRow, signal: AbortSignal): Promise<void> {
    perWallet.set(invoice.wallet_id, (perWallet.get(invoice.wallet_id) ?? 0) + 1);
    try {
      await lookUpInvoice(parts, invoice, signal);
    } catch (error) {
      // The lease ends by itself and the invoice is looked at again.
      log.error({ err: error, invoice: invoice.id }, 'look-up failed');
    } finally {
      const left = perWallet.get(invoice.wallet_id)! - 1;
      if (left === 0) perWallet.delete(invoice.wallet_id);
      else perWallet.set(invoice.wallet_id, left);
    }
  }

  const busyWalletIds = () => [...perWallet].filter(([, count]) => count >= mostPerWallet).map(([id]) => id);

  async function claimAndLook(signal: AbortSignal): Promise<number> {
    const free = mostAtOnce - underWay.size;
    const busy = busyWalletIds();
    waiting = free <= 0 || busy.length > 0;
    if (free <= 0) return 0;
    const due = await claimDueInvoices(db, {
      now: clock.now(),
      limit: Math.min(free, mostPerWallet),
      leaseSeconds,
      busyWalletIds: busy,
    });
    for (const invoice of due) {
      const lateMillis = clock.now().getTime() - invoice.next_look_at!.getTime();
      parts.metrics.lookLagSeconds.observe(Math.max(0, lateMillis / 1000));
      const work = look(invoice, signal).finally(() => {
        underWay.delete(work);
        if (waiting) pace.wake();
      });
      underWay.add(work);
    }
    return due.length;
  }

  async function followClock(): Promise<void> {
    const now = clock.now();
    const ahead = now.getTime() - performance.now();
    if (ahead < lead - clockToleranceMillis) {
      const count = await bringLooksForward(db, now);
      if (count > 0) log.warn({ invoices: count }, 'the clock was set back; look-ups that it put off are made now');
    }
    lead = ahead;
  }

  async function sleepMillis(): Promise<number> {
    // The end of a look-up wakes us where `waiting` says that work was left.
    if (underWay.size >= mostAtOnce) return longestSleepMillis;
    const next = await findNextDue(db, busyWalletIds());
    if (next === null) return longestSleepMillis;
    return Math.max(50, Math.min(longestSleepMillis, next.getTime() - clock.now().getTime()));
  }

  return startJob(log, {
    name: 'watch-invoices',
    pauseMillis: longestSleepMillis,
    pace,
    async round(signal) {
      await followClock();
      return (await claimAndLook(signal)) > 0 ? 0 : sleepMillis();
    },
    async end() {
      stopListening();
      await Promise.all(underWay);
    },
  });
}
