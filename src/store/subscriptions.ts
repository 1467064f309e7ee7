import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { PeriodRow, SubscriptionRow } from '../model/subscription.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'status',
  'link_hash',
  'link_sealed',
  'customer_id',
  'customer_email',
  'customer_name',
  'product_id',
  'name',
  'amount_cents',
  'first_charge_cents',
  'currency',
  'interval_unit',
  'interval_count',
  'time_zone',
  'starts_on',
  'trial_days',
  'trial_ends_at',
  'bitcoin_discount_percent',
  'rail',
  'metadata',
  'agreed_taxes',
  'anchor_at',
  'next_billing_at',
  'current_period_start',
  'current_period_end',
  'cancel_at_period_end',
  'trial_end_told',
  'look_at',
  'invited_at',
  'accepted_at',
  'paused_at',
  'cancelled_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof SubscriptionRow)[];
const columnList = columns.join(', ');
const jsonColumns = new Set<string>(['metadata', 'agreed_taxes']);
/** What changes after the invitation. */
const moving = [
  'status',
  'starts_on',
  'trial_ends_at',
  'anchor_at',
  'next_billing_at',
  'current_period_start',
  'current_period_end',
  'cancel_at_period_end',
  'trial_end_told',
  'look_at',
  'accepted_at',
  'paused_at',
  'cancelled_at',
  'updated_at',
] as const satisfies readonly (keyof SubscriptionRow)[];

const insert = statement(
  'subscriptions_insert',
  `insert into subscriptions (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
);
const find = statement(
  'subscriptions_find',
  `select ${columnList} from subscriptions where id = $1 and merchant_id = $2 and livemode = $3`,
);
const findByLink = statement(
  'subscriptions_find_by_link',
  `select ${columnList} from subscriptions where link_hash = $1`,
);
const lock = statement('subscriptions_lock', `select ${columnList} from subscriptions where id = $1 for update`);
const update = statement(
  'subscriptions_update',
  `update subscriptions set ${moving.map((column, index) => `${column} = $${index + 2}`).join(', ')} where id = $1`,
);
// Subscriptions of merchants that are not active stand still: nobody could pay their orders.
const listDue = statement(
  'subscriptions_list_due',
  `select s.id, s.merchant_id, s.livemode from subscriptions s join merchants m on m.id = s.merchant_id and m.status = 'active'
    where s.look_at <= $1 order by s.look_at limit $2`,
);
const claim = statement(
  'subscriptions_claim',
  `select ${columnList} from subscriptions where id = $1 and look_at <= $2 for update skip locked`,
);
const putOff = statement(
  'subscriptions_put_off',
  'update subscriptions set look_at = $2 where id = $1 and look_at <= $3',
);
const findNextLook = statement(
  'subscriptions_next_look',
  `select min(s.look_at) as look_at from subscriptions s join merchants m on m.id = s.merchant_id and m.status = 'active'
    where s.look_at is not null`,
);
const listOwing = statement(
  'subscriptions_list_owing',
  `select s.id, s.merchant_id, s.livemode from subscriptions s
    where s.merchant_id = $1 and s.status in ('active', 'past_due') and s.id > $2
      and exists (select from subscription_periods p where p.subscription_id = s.id and not p.settled)
    order by s.id limit $3`,
);
const firstDueOfMerchant = statement(
  'subscriptions_first_due_of_merchant',
  `select id, merchant_id, livemode, look_at from subscriptions
    where merchant_id = $1 and not livemode and look_at <= $2 order by look_at, id limit 1`,
);

const periodColumns = 'id, subscription_id, number, starts_at, ends_at, order_id, due_at, settled';
const insertPeriodRow = statement(
  'subscription_periods_insert',
  `insert into subscription_periods (${periodColumns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const findUnsettled = statement(
  'subscription_periods_find_unsettled',
  `select ${periodColumns} from subscription_periods where subscription_id = $1 and not settled`,
);
const findByOrder = statement(
  'subscription_periods_find_by_order',
  `select ${periodColumns} from subscription_periods where order_id = $1`,
);
const listRecent = statement(
  'subscription_periods_list',
  `select ${periodColumns} from subscription_periods where subscription_id = $1 order by number desc limit $2`,
);
const settle = statement('subscription_periods_settle', 'update subscription_periods set settled = true where id = $1');
const moveDue = statement('subscription_periods_move_due', 'update subscription_periods set due_at = $2 where id = $1');

export type DueSubscription = Pick<SubscriptionRow, 'id' | 'merchant_id' | 'livemode'>;

export async function insertSubscription(tx: Handle, row: SubscriptionRow): Promise<void> {
  await tx.run(
    insert,
    columns.map((column) => (jsonColumns.has(column) ? row[column] && JSON.stringify(row[column]) : row[column])),
  );
}

export function findSubscription(db: Handle, scope: Scope, id: string): Promise<SubscriptionRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** @param linkHash SHA-256 of the customer's link, in hex. */
export function findSubscriptionByLink(db: Handle, linkHash: string): Promise<SubscriptionRow | undefined> {
  return db.maybeOne(findByLink, [linkHash]);
}

/** Locks the row; its order, if one is to be paid, is locked before (flows/lock-subscription.ts). */
export function lockSubscriptionRow(tx: Handle, id: string): Promise<SubscriptionRow | undefined> {
  return tx.maybeOne(lock, [id]);
}

/** Writes what moves in a subscription that this transaction has locked. */
export async function updateSubscription(tx: Handle, row: SubscriptionRow): Promise<void> {
  await tx.run(update, [row.id, ...moving.map((column) => row[column])]);
}

/** Subscriptions that time has something to do with, longest overdue first. @param now by the clock. */
export function listDueSubscriptions(db: Handle, now: Date, limit: number): Promise<DueSubscription[]> {
  return db.many(listDue, [now, limit]);
}

/** A merchant's subscriptions, of both modes, with a period that is still to be paid; by id, those after `afterId`. */
export function listOwingSubscriptions(
  db: Handle,
  merchantId: string,
  afterId: string,
  limit: number,
): Promise<DueSubscription[]> {
  return db.many(listOwing, [merchantId, afterId, limit]);
}

/** Locks a due subscription unless somebody else has it; undefined then, and when it is not due any more. */
export function claimDueSubscription(tx: Handle, id: string, now: Date): Promise<SubscriptionRow | undefined> {
  return tx.maybeOne(claim, [id, now]);
}

/** Lets a subscription that cannot be worked on now wait, so that it does not stand in the way of others. */
export async function putSubscriptionOff(db: Handle, id: string, until: Date, now: Date): Promise<void> {
  await db.run(putOff, [id, until, now]);
}

/** When the next subscription is due by the clock, null when none will be. */
export async function findNextSubscriptionLook(db: Handle): Promise<Date | null> {
  return (await db.maybeOne<{ look_at: Date | null }>(findNextLook))!.look_at;
}

/** The test subscription of a merchant that is due first, at or before `now` by the clock. */
export function findFirstDueOfMerchant(
  db: Handle,
  merchantId: string,
  now: Date,
): Promise<(DueSubscription & { look_at: Date }) | undefined> {
  return db.maybeOne(firstDueOfMerchant, [merchantId, now]);
}

/** Newest first. */
export function listSubscriptions(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<SubscriptionRow>> {
  return listPage<SubscriptionRow>(
    db,
    {
      select: `select ${columnList} from subscriptions`,
      countFrom: 'from subscriptions',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        status: 'status',
        customer_email: 'customer_email',
        customer_id: 'customer_id',
        product_id: 'product_id',
        name: 'name',
        next_billing_at: 'next_billing_at',
        created_at: 'created_at',
      },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}

/** Adds a period with its order. A second one of the same number, or a second that is unpaid, is a unique violation. */
export async function insertPeriod(tx: Handle, row: PeriodRow): Promise<void> {
  const { id, subscription_id, number, starts_at, ends_at, order_id, due_at, settled } = row;
  await tx.run(insertPeriodRow, [id, subscription_id, number, starts_at, ends_at, order_id, due_at, settled]);
}

/** The period whose order is still to be paid; at most one. */
export function findUnsettledPeriod(db: Handle, subscriptionId: string): Promise<PeriodRow | undefined> {
  return db.maybeOne(findUnsettled, [subscriptionId]);
}

export function findPeriodByOrder(db: Handle, orderId: string): Promise<PeriodRow | undefined> {
  return db.maybeOne(findByOrder, [orderId]);
}

/** The last periods, newest first. */
export function listPeriods(db: Handle, subscriptionId: string, limit: number): Promise<PeriodRow[]> {
  return db.many(listRecent, [subscriptionId, limit]);
}

/** The period's order is paid, or will never be: nothing waits for it any more. */
export async function settlePeriod(tx: Handle, id: string): Promise<void> {
  await tx.run(settle, [id]);
}

export async function movePeriodDue(tx: Handle, id: string, dueAt: Date): Promise<void> {
  await tx.run(moveDue, [id, dueAt]);
}
