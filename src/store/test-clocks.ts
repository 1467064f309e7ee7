import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';

const find = statement('test_clocks_find', 'select offset_seconds from test_clocks where merchant_id = $1');
const lock = statement('test_clocks_lock', 'select offset_seconds from test_clocks where merchant_id = $1 for update');
const start = statement(
  'test_clocks_start',
  `insert into test_clocks (merchant_id, offset_seconds, updated_at) values ($1, 0, $2) on conflict do nothing`,
);
const set = statement(
  'test_clocks_set',
  'update test_clocks set offset_seconds = $2, updated_at = $3 where merchant_id = $1',
);
const shiftLooks = statement(
  'test_clocks_shift_subscriptions',
  `update subscriptions set look_at = look_at - make_interval(secs => $2)
    where merchant_id = $1 and not livemode and look_at is not null`,
);
const shiftInvoices = statement(
  'test_clocks_shift_invoices',
  `update invoices set expires_at = expires_at - make_interval(secs => $2),
          next_look_at = least(next_look_at, $3)
    where merchant_id = $1 and not livemode and paid_at is null and superseded_at is null and expires_at > $3`,
);

const shiftCheckouts = statement(
  'test_clocks_shift_checkouts',
  `update checkout_sessions set expires_at = expires_at - make_interval(secs => $2)
    where merchant_id = $1 and not livemode and completed_at is null and cancelled_at is null and expires_at > $3`,
);

/** How far the merchant's test calendar is ahead, in seconds; 0 in live mode, which has none. */
export async function findClockOffsetSeconds(db: Handle, scope: Scope): Promise<number> {
  if (scope.livemode) return 0;
  return (await db.maybeOne<{ offset_seconds: number }>(find, [scope.merchantId]))?.offset_seconds ?? 0;
}

/** Locks the merchant's test clock, starting it if need be. @returns its offset in seconds. */
export async function lockTestClock(tx: Handle, merchantId: string, now: Date): Promise<number> {
  await tx.run(start, [merchantId, now]);
  return (await tx.maybeOne<{ offset_seconds: number }>(lock, [merchantId]))!.offset_seconds;
}

/** Puts the locked clock ahead by `seconds`; what subscriptions wait for comes as much nearer. */
export async function putTestClockAhead(
  tx: Handle,
  merchantId: string,
  offsetSeconds: number,
  seconds: number,
  now: Date,
): Promise<void> {
  await tx.run(set, [merchantId, offsetSeconds + seconds, now]);
  await tx.run(shiftLooks, [merchantId, seconds]);
}

/** Takes `seconds` off the time that open test invoices and checkout sessions have left. */
export async function shortenTestInvoices(tx: Handle, merchantId: string, seconds: number, now: Date): Promise<void> {
  await tx.run(shiftInvoices, [merchantId, seconds, now]);
  await tx.run(shiftCheckouts, [merchantId, seconds, now]);
}
