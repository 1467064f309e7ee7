import { type Static, Type } from 'typebox';
import { addSeconds } from '../kernel/clock.ts';
import { type BillingCalendar, type IntervalUnit, intervalUnits } from './billing-calendar.ts';
import {
  cents,
  currencyCode,
  decimalString,
  livemode,
  metadata,
  nullable,
  objectName,
  oneOf,
  timestamp,
  uuid,
} from './fields.ts';
import { orderItemSchema, orderStatuses } from './order.ts';
import { trimmedPercent } from './percent.ts';
import type { TaxTerms } from './pricing.ts';

/**
 * A subscription's life:
 *
 *   invited ──(customer accepts)──▶ trialing ──(first charge)──▶ active ◀──(paid)── past_due
 *      └─────(accepts, starts at once)──────────────────────────▶ │ └──(3 days late)──▶ ▲
 *
 *   trialing, active, past_due ──(merchant)──▶ paused ──(merchant)──▶ trialing or active
 *   everything but cancelled ──(merchant, customer, 17 days late, or the end of a last period)──▶ cancelled
 *
 * A start that lies ahead counts as a trial: nothing is charged until then.
 */
export const subscriptionStatuses = ['invited', 'trialing', 'active', 'past_due', 'paused', 'cancelled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

const transitions: Record<SubscriptionStatus, readonly SubscriptionStatus[]> = {
  invited: ['trialing', 'active', 'cancelled'],
  trialing: ['active', 'paused', 'cancelled'],
  active: ['past_due', 'paused', 'cancelled'],
  past_due: ['active', 'paused', 'cancelled'],
  paused: ['trialing', 'active', 'cancelled'],
  cancelled: [],
};

/** Whether the drawing above has an arrow from one to the other. */
export function canBecome(from: SubscriptionStatus, to: SubscriptionStatus): boolean {
  return transitions[from].includes(to);
}

export const rails = ['bitcoin', 'card'] as const;

const daySeconds = 86_400;
/** An order that is unpaid so long after its due date makes the subscription past due … */
export const graceSeconds = 3 * daySeconds;
/** … and one that stays unpaid so much longer ends it. */
const lapseSeconds = 14 * daySeconds;
/** How long before its end a trial is announced to be ending. */
const trialNoticeSeconds = 3 * daySeconds;

/** The taxes of a subscription's product as they were when the customer was invited, with what a sale shows of its type. */
interface AgreedTaxes {
  taxes: TaxTerms[];
  product_type_id: string;
  product_type_name: string;
}

export interface SubscriptionRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  status: SubscriptionStatus;
  link_hash: string;
  link_sealed: Buffer;
  customer_id: string;
  customer_email: string;
  customer_name: string | null;
  product_id: string | null;
  name: string;
  amount_cents: number;
  first_charge_cents: number;
  currency: string;
  interval_unit: IntervalUnit;
  interval_count: number;
  time_zone: string;
  /** YYYY-MM-DD; the day that was asked for, then the day it really started. */
  starts_on: string | null;
  trial_days: number;
  trial_ends_at: Date | null;
  bitcoin_discount_percent: string;
  rail: (typeof rails)[number];
  metadata: Record<string, unknown>;
  agreed_taxes: AgreedTaxes | null;
  anchor_at: Date | null;
  next_billing_at: Date | null;
  current_period_start: Date | null;
  current_period_end: Date | null;
  cancel_at_period_end: boolean;
  trial_end_told: boolean;
  look_at: Date | null;
  invited_at: Date;
  accepted_at: Date | null;
  paused_at: Date | null;
  cancelled_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** A period that was billed, by one order. */
export interface PeriodRow {
  id: string;
  subscription_id: string;
  /** Counted from 0 at the anchor; periods that nobody was billed for are missing. */
  number: number;
  starts_at: Date;
  ends_at: Date;
  order_id: string;
  due_at: Date;
  settled: boolean;
}

const subscriptionFields = {
  object: objectName('subscription'),
  livemode,
  id: uuid('Subscription'),
  status: oneOf(subscriptionStatuses),
  customer_id: uuid('Customer: one per merchant and e-mail address'),
  customer_email: Type.String(),
  customer_name: nullable(Type.String()),
  product_id: nullable(uuid('Product that gave name and price')),
  name: Type.String(),
  amount_cents: cents('Price of a period'),
  first_charge_cents: cents('Price of the first period'),
  currency: currencyCode,
  interval_unit: oneOf(intervalUnits),
  interval_count: Type.Integer({ description: 'Units in a period' }),
  starts_on: nullable(
    Type.String({ description: 'Day of the start in the merchant’s time zone; null: when accepted' }),
  ),
  trial_days: Type.Integer(),
  trial_ends_at: nullable(timestamp('When the first charge is made, if not at once')),
  bitcoin_discount_percent: decimalString('Taken off every charge, in percent'),
  rail: oneOf(rails),
  next_billing_at: nullable(timestamp('When the next period begins and is charged')),
  current_period_start: nullable(timestamp('Beginning of the running period')),
  current_period_end: nullable(timestamp('Its end, which is the beginning of the next')),
  cancel_at_period_end: Type.Boolean({ description: 'Ends instead of being charged again' }),
  metadata,
  invited_at: timestamp('When the customer was invited'),
  accepted_at: nullable(timestamp('When the customer accepted')),
  paused_at: nullable(timestamp('When it was paused, while it is')),
  cancelled_at: nullable(timestamp('When it ended')),
  created_at: timestamp('When the subscription was made'),
  updated_at: timestamp('When the subscription last changed'),
};

/** As events carry it: without the customer's link, which opens the subscription to whoever has it. */
export const subscriptionEventSchema = Type.Object(subscriptionFields, { description: 'A subscription' });

export const subscriptionSchema = Type.Object(
  {
    ...subscriptionFields,
    customer_url: Type.String({
      description: 'The customer’s own page: accept, pay, history, cancel. Whoever has the link can do that',
    }),
  },
  { description: 'A subscription' },
);
type SubscriptionShape = Static<typeof subscriptionEventSchema>;

const periodSchema = Type.Object({
  id: uuid('Order of the period'),
  order_number: Type.String(),
  status: oneOf(orderStatuses),
  total_amount_cents: cents('Total'),
  items: Type.Array(orderItemSchema),
  billing_period_start: timestamp('Beginning of the period'),
  billing_period_end: timestamp('End of the period'),
});

/** Of `subscription.renewed` and `subscription.past_due`. */
export const subscriptionWithPeriodSchema = Type.Object(
  { ...subscriptionFields, period: periodSchema },
  { description: 'A subscription and one of its periods' },
);

export function toSubscription(row: SubscriptionRow): SubscriptionShape {
  const moment = (value: Date | null) => value?.toISOString() ?? null;
  return {
    object: 'subscription',
    livemode: row.livemode,
    id: row.id,
    status: row.status,
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    customer_name: row.customer_name,
    product_id: row.product_id,
    name: row.name,
    amount_cents: row.amount_cents,
    first_charge_cents: row.first_charge_cents,
    currency: row.currency,
    interval_unit: row.interval_unit,
    interval_count: row.interval_count,
    starts_on: row.starts_on,
    trial_days: row.trial_days,
    trial_ends_at: moment(row.trial_ends_at),
    bitcoin_discount_percent: trimmedPercent(row.bitcoin_discount_percent).replace(/\.0$/, ''),
    rail: row.rail,
    next_billing_at: moment(row.next_billing_at),
    current_period_start: moment(row.current_period_start),
    current_period_end: moment(row.current_period_end),
    cancel_at_period_end: row.cancel_at_period_end,
    metadata: row.metadata,
    invited_at: row.invited_at.toISOString(),
    accepted_at: moment(row.accepted_at),
    paused_at: moment(row.paused_at),
    cancelled_at: moment(row.cancelled_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** @throws for a subscription that was not accepted: it has no anchor yet. */
export function calendarOf(row: SubscriptionRow): BillingCalendar {
  if (row.anchor_at === null) throw new Error(`Subscription ${row.id} has no anchor`);
  return { anchor: row.anchor_at, timeZone: row.time_zone, unit: row.interval_unit, count: row.interval_count };
}

type SubscriptionStep = 'tell_trial_end' | 'bill' | 'mark_past_due' | 'lapse' | 'cancel';

interface Due {
  readonly step: SubscriptionStep;
  readonly at: Date;
}

/**
 * What time alone will do to a subscription next, and when; undefined when it waits for a person. Everything compares
 * with moments that were written down before, so a clock that is put back makes the same things due later, and none
 * twice.
 * @param unsettled the period whose order is still to be paid.
 */
export function nextStep(row: SubscriptionRow, unsettled: PeriodRow | undefined): Due | undefined {
  if (['invited', 'paused', 'cancelled'].includes(row.status)) return undefined;
  const dues: Due[] = [];
  if (unsettled) {
    const lateAt = addSeconds(unsettled.due_at, graceSeconds);
    // One unpaid order is enough: the next period is not billed before it is paid, and then only the one that runs.
    dues.push(
      row.status === 'past_due'
        ? { step: 'lapse', at: addSeconds(lateAt, lapseSeconds) }
        : { step: 'mark_past_due', at: lateAt },
    );
    if (row.cancel_at_period_end) dues.push({ step: 'cancel', at: row.next_billing_at! });
  } else {
    dues.push({ step: row.cancel_at_period_end ? 'cancel' : 'bill', at: row.next_billing_at! });
    if (row.status === 'trialing' && !row.trial_end_told && !row.cancel_at_period_end) {
      dues.push({ step: 'tell_trial_end', at: addSeconds(row.trial_ends_at!, -trialNoticeSeconds) });
    }
  }
  return dues.reduce((first, due) => (due.at < first.at ? due : first));
}
