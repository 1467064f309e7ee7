import { type Handle, statement } from '../db/database.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import { invoiceSelect } from './invoices.ts';

/** What the watcher reads and writes of invoices, across all merchants. Leases run by the database's clock. */

const claimDue = statement(
  'watch_claim_due',
  `with due as (
     select id from invoices
      where paid_at is null and next_look_at <= $1::timestamptz
        and (lease_until is null or lease_until <= clock_timestamp())
        and not (wallet_id = any($4::uuid[]))
      order by coalesce(viewed_at > $1::timestamptz - interval '30 seconds', false) desc, next_look_at
      limit $2
      for update skip locked
   ), i as (
     update invoices set lease_until = clock_timestamp() + make_interval(secs => $3)
       from due where invoices.id = due.id
     returning invoices.*
   )
   select ${invoiceSelect} from i`,
);
const schedule = statement(
  'watch_schedule',
  // A look that somebody brought forward while this one was under way stays: its reason came after our question. So does
  // what another look learned meanwhile of money that is held: our answer may be from before.
  `update invoices set next_look_at = case when next_look_at is distinct from $4 then least(next_look_at, $2) else $2 end,
                       held_at = case when held_at is distinct from $6 then held_at else $3 end,
                       lease_until = null, last_look_at = coalesce($5, last_look_at),
                       look_count = look_count + ($5::timestamptz is not null)::integer
    where id = $1 and paid_at is null`,
);
const markViewed = statement(
  'watch_mark_viewed',
  `update invoices set viewed_at = $2, next_look_at = least(next_look_at, $2) where id = $1 and paid_at is null`,
);
const keepViewed = statement(
  'watch_keep_viewed',
  `update invoices set viewed_at = $2
    where id = any($1::uuid[]) and paid_at is null and (viewed_at is null or viewed_at < $2)`,
);
const lookNoLater = statement(
  'watch_look_no_later',
  `update invoices set next_look_at = least(next_look_at, $2) where id = $1 and paid_at is null`,
);
const wakeOfWallet = statement(
  'watch_wake_of_wallet',
  // Also what is due or being looked at already: its wallet may have been asked before it was paid. A millisecond tells
  // the end of that look-up that something came in between.
  `update invoices set next_look_at = least($2, next_look_at - interval '1 millisecond')
    where wallet_id = $1 and ($3::text is null or payment_hash = $3) and paid_at is null and next_look_at is not null`,
);
const bringForward = statement(
  'watch_bring_forward',
  // A second, because the clocks of two processes are never quite the same.
  `update invoices set next_look_at = $1
    where paid_at is null and next_look_at > $1
      and coalesce(last_look_at, created_at) > $1::timestamptz + interval '1 second'`,
);
const nextDue = statement(
  'watch_next_due',
  // Only what could be claimed: while others are being looked at, a watcher would find them due and spin.
  `select min(next_look_at) as at from invoices
    where paid_at is null and next_look_at is not null
      and (lease_until is null or lease_until <= clock_timestamp())
      and not (wallet_id = any($1::uuid[]))`,
);
const markExpiredEvent = statement(
  'watch_mark_expired_event',
  `update invoices set expired_event_at = $2, updated_at = $2
    where id = $1 and paid_at is null and expired_event_at is null and expires_at <= $2`,
);

interface LookClaim {
  now: Date;
  limit: number;
  leaseSeconds: number;
  /** Wallets that have as many look-ups under way as they may. */
  busyWalletIds: readonly string[];
}

/**
 * Takes invoices whose look-up is due, those that somebody waits for first, for `leaseSeconds`. No other process gets
 * them meanwhile.
 */
export function claimDueInvoices(db: Handle, claim: LookClaim): Promise<InvoiceRow[]> {
  return db.many(claimDue, [claim.now, claim.limit, claim.leaseSeconds, claim.busyWalletIds]);
}

interface LookResult {
  /** null: nobody looks any more. */
  nextLookAt: Date | null;
  heldAt: Date | null;
  /** null: the wallet was not asked after all. */
  lookedAt: Date | null;
}

/** Ends a claim. @param seen the invoice as it was when the wallet was asked. */
export async function scheduleLook(
  db: Handle,
  seen: Pick<InvoiceRow, 'id' | 'next_look_at' | 'held_at'>,
  { nextLookAt, heldAt, lookedAt }: LookResult,
): Promise<void> {
  await db.run(schedule, [seen.id, nextLookAt, heldAt, seen.next_look_at, lookedAt, seen.held_at]);
}

/** Somebody is looking at the invoice: it is due now and for a while more often. */
export async function markInvoiceViewed(db: Handle, id: string, now: Date): Promise<void> {
  await db.run(markViewed, [id, now]);
}

/** Somebody still looks at these: the watcher keeps its quicker pace, but is not called now. */
export async function keepInvoicesViewed(db: Handle, ids: readonly string[], now: Date): Promise<void> {
  await db.run(keepViewed, [ids, now]);
}

/** Something will happen at `at`: the look-up must not come much later. */
export async function lookNoLaterThan(db: Handle, id: string, at: Date): Promise<void> {
  await db.run(lookNoLater, [id, at]);
}

/**
 * A wallet said that it was paid: the invoice, or all that are watched of it when `paymentHash` is undefined, are due now.
 * @returns how many were brought forward.
 */
export function wakeInvoicesOfWallet(
  db: Handle,
  walletId: string,
  paymentHash: string | undefined,
  now: Date,
): Promise<number> {
  return db.run(wakeOfWallet, [walletId, now, paymentHash ?? null]);
}

/**
 * What was last looked at, or made, in a time that is yet to come is due now: a clock that has been set back since would
 * sit that time out. @returns how many were brought forward.
 */
export function bringLooksForward(db: Handle, now: Date): Promise<number> {
  return db.run(bringForward, [now]);
}

/** When the next look-up that could be claimed is due; null when there is none. */
export async function findNextDue(db: Handle, busyWalletIds: readonly string[]): Promise<Date | null> {
  return (await db.maybeOne<{ at: Date | null }>(nextDue, [busyWalletIds]))!.at;
}

/** @returns true once per invoice: the caller then records `invoice.expired`. */
export async function markInvoiceExpiredEvent(tx: Handle, id: string, now: Date): Promise<boolean> {
  return (await tx.run(markExpiredEvent, [id, now])) === 1;
}
