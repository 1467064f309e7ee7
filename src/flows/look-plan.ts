import { addSeconds } from '../kernel/clock.ts';
import type { InvoiceRow } from '../model/invoice.ts';

const day = 24 * 3600;
/** Someone counts as looking this long after a status call. */
const viewerSeconds = 30;

/** Seconds between look-ups by age while somebody waits in front of a screen: `[until age, pause]`. */
const watchedSteps = [
  [60, 1.5],
  [300, 3],
  [Infinity, 10],
] as const;
/** The same when nobody looks: 12 % of the age, between 2 and 30 s. */
const unwatchedShare = 0.12;
/** While the wallet tells by itself, looking is only for what its silence may hide. */
const pushedPauses = { viewed: 60, unwatched: 300 };
/** After `expires_at`, by seconds past it. Fixed plans that stop here miss every late payment. */
const graceSteps = [
  [300, 60],
  [2 * 3600, 900],
  [day, 4 * 3600],
] as const;

type Watched = Pick<
  InvoiceRow,
  'created_at' | 'expires_at' | 'bolt11_expires_at' | 'watch_until' | 'viewed_at' | 'superseded_at'
>;

/** Whether what is known of the invoice is as good as a fresh look, because its wallet's stream would have told. */
export function isKnownByPush(invoice: Pick<InvoiceRow, 'last_look_at' | 'created_at'>, now: Date): boolean {
  return secondsBetween(invoice.last_look_at ?? invoice.created_at, now) < pushedPauses.viewed;
}

/**
 * When to ask the wallet again about an unpaid invoice; null when watching ends. Quick while a payer waits, thinning out
 * after expiry, every 4 h until a day after the BOLT11's own end, then daily for a week.
 * @param isPushed the wallet's stream is open.
 */
export function nextLookAt(invoice: Watched, now: Date, isPushed = false): Date | null {
  const next = addSeconds(now, pauseSeconds(invoice, now, isPushed));
  if (next <= invoice.watch_until) return next;
  // One last look at the very end.
  return now < invoice.watch_until ? invoice.watch_until : null;
}

function pauseSeconds(invoice: Watched, now: Date, isPushed: boolean): number {
  const closedAt = invoice.superseded_at ?? invoice.expires_at;
  const past = secondsBetween(closedAt, now);
  if (past >= 0) {
    const step = graceSteps.find(([until]) => past < until);
    if (step) return step[1];
    return secondsBetween(invoice.bolt11_expires_at, now) < day ? 4 * 3600 : day;
  }
  const age = Math.max(0, secondsBetween(invoice.created_at, now));
  const viewed = invoice.viewed_at !== null && secondsBetween(invoice.viewed_at, now) < viewerSeconds;
  const untilEnd = -past + 0.001;
  if (isPushed) return Math.min(viewed ? pushedPauses.viewed : pushedPauses.unwatched, untilEnd);
  const pause = viewed
    ? watchedSteps.find(([until]) => age < until)![1]
    : Math.min(30, Math.max(2, age * unwatchedShare));
  // Never sleep past the end: `invoice.expired` follows the first look after it.
  return Math.min(pause, untilEnd);
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}
