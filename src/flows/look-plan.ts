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
/** The same when nobody looks: a twelfth of the age, between 2 and 30 s. */
const unwatchedShare = 0.12;
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

/**
 * When to ask the wallet again about an unpaid invoice; null when watching ends. Quick while a payer waits, thinning out
 * after expiry, every 4 h until a day after the BOLT11's own end, then daily for a week.
 */
export function nextLookAt(invoice: Watched, now: Date): Date | null {
  const next = addSeconds(now, pauseSeconds(invoice, now));
  if (next <= invoice.watch_until) return next;
  // One last look at the very end.
  return now < invoice.watch_until ? invoice.watch_until : null;
}

function pauseSeconds(invoice: Watched, now: Date): number {
  const closedAt = invoice.superseded_at ?? invoice.expires_at;
  const past = secondsBetween(closedAt, now);
  if (past >= 0) {
    const step = graceSteps.find(([until]) => past < until);
    if (step) return step[1];
    return secondsBetween(invoice.bolt11_expires_at, now) < day ? 4 * 3600 : day;
  }
  const age = Math.max(0, secondsBetween(invoice.created_at, now));
  const viewed = invoice.viewed_at !== null && secondsBetween(invoice.viewed_at, now) < viewerSeconds;
  const pause = viewed
    ? watchedSteps.find(([until]) => age < until)![1]
    : Math.min(30, Math.max(2, age * unwatchedShare));
  // Never sleep past the end: `invoice.expired` follows the first look after it.
  return Math.min(pause, -past + 0.001);
}

function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}
