import type { Handle } from '../db/database.ts';
import type { EventKind } from '../events/catalog.ts';
import { recordEvents } from '../events/outbox.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { type PeriodRow, type SubscriptionRow, toSubscription } from '../model/subscription.ts';

type SubscriptionEventKind = Extract<EventKind, `subscription.${string}`>;

/**
 * Records an event about a subscription as this transaction leaves it.
 * @param about.dedupe names the fact among others of its kind. A period's id lets it be recorded once; where the status
 * that was locked already says that this is new, any new id will do.
 */
export async function recordSubscriptionEvent(
  tx: Handle,
  kind: SubscriptionEventKind,
  row: SubscriptionRow,
  now: Date,
  about: { dedupe?: string; period?: PeriodRow; order?: OrderRow } = {},
): Promise<void> {
  const { dedupe, period, order } = about;
  const shape = toSubscription(row);
  const data = period && order ? { ...shape, period: toPeriod(period, order) } : shape;
  const scope = scopeOf(row);
  await recordEvents(tx, scope, [{ kind, subjectId: row.id, data, ...(dedupe ? { dedupe } : {}) }], now);
}

function toPeriod(period: PeriodRow, order: OrderRow) {
  return {
    id: order.id,
    order_number: order.order_number,
    status: order.status,
    total_amount_cents: order.total_amount_cents,
    items: order.items,
    billing_period_start: period.starts_at.toISOString(),
    billing_period_end: period.ends_at.toISOString(),
  };
}
