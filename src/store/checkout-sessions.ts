import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import { isToken, isUuid } from '../kernel/ids.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { CheckoutSessionRow } from '../model/checkout-session.ts';
import type { OrderRow } from '../model/order.ts';

const columns = [
  'id',
  'merchant_id',
  'livemode',
  'token',
  'source',
  'form_token',
  'api_key_id',
  'is_public',
  'product_id',
  'amount_cents',
  'tax_amount_cents',
  'discount_amount_cents',
  'discount_id',
  'currency',
  'items',
  'pricing',
  'customer_email',
  'customer_name',
  'customer_phone',
  'customer_address',
  'success_url',
  'cancel_url',
  'checkout_mode',
  'checkout_theme',
  'checkout_accent_color',
  'metadata',
  'order_id',
  'expires_at',
  'completed_at',
  'cancelled_at',
  'expired_event_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof CheckoutSessionRow)[];
const jsonColumns = new Set<string>(['items', 'pricing', 'metadata']);
const columnList = columns.join(', ');

const insert = statement(
  'checkout_sessions_insert',
  `insert into checkout_sessions (${columnList}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
   on conflict (product_id, form_token) where form_token is not null do nothing`,
);
const find = statement(
  'checkout_sessions_find',
  `select ${columnList} from checkout_sessions where id = $1 and merchant_id = $2 and livemode = $3`,
);
const findByTokenInScope = statement(
  'checkout_sessions_find_by_token_in_scope',
  `select ${columnList} from checkout_sessions where token = $1 and merchant_id = $2 and livemode = $3`,
);
const findByToken = statement(
  'checkout_sessions_find_by_token',
  `select ${columnList} from checkout_sessions where token = $1`,
);
const findByForm = statement(
  'checkout_sessions_find_by_form',
  `select ${columnList} from checkout_sessions where product_id = $1 and form_token = $2`,
);
const findByOrder = statement(
  'checkout_sessions_find_by_order',
  `select ${columnList} from checkout_sessions where order_id = $1`,
);
const lock = statement(
  'checkout_sessions_lock',
  `select ${columnList} from checkout_sessions where id = $1 for update`,
);
const setOrder = statement(
  'checkout_sessions_set_order',
  'update checkout_sessions set order_id = $2, updated_at = $3 where id = $1 and order_id is null',
);
const restate = statement(
  'checkout_sessions_restate',
  `update checkout_sessions
      set amount_cents = $2, tax_amount_cents = $3, discount_amount_cents = $4, discount_id = $5, currency = $6, items = $7,
          pricing = $8, updated_at = $9
    where order_id = $1 and completed_at is null and cancelled_at is null`,
);
const complete = statement(
  'checkout_sessions_complete',
  `update checkout_sessions set completed_at = $2, updated_at = $3
    where order_id = $1 and completed_at is null and cancelled_at is null returning ${columnList}`,
);
const cancel = statement(
  'checkout_sessions_cancel',
  `update checkout_sessions set cancelled_at = $2, updated_at = $2
    where id = $1 and completed_at is null and cancelled_at is null`,
);
const cancelOfOrder = statement(
  'checkout_sessions_cancel_of_order',
  `update checkout_sessions set cancelled_at = $2, updated_at = $2
    where order_id = $1 and completed_at is null and cancelled_at is null`,
);
const signs = statement(
  'checkout_sessions_signs',
  // The same text as long as the page need not change; times enter as whether they have come.
  `select s.id, i.id as invoice_id,
          concat_ws(' ', s.completed_at, s.cancelled_at, s.expires_at <= $2, o.status, o.version, i.id, i.held_at is null,
                    i.expires_at <= $2) as sign
     from checkout_sessions s
     left join orders o on o.id = s.order_id
     left join invoices i on i.order_id = o.id and i.paid_at is null and i.superseded_at is null
    where s.id = any($1::uuid[])`,
);
const findEnding = statement(
  'checkout_sessions_find_ending',
  // One whose invoice is still to be looked at past its own end may yet turn out to be paid.
  `select s.id from checkout_sessions s
    where s.expires_at <= $1 and s.completed_at is null and s.cancelled_at is null and s.expired_event_at is null
      and not exists (
        select from invoices i
         where i.order_id = s.order_id and i.paid_at is null and i.superseded_at is null and i.expired_event_at is null
      )
    order by s.expires_at limit $2`,
);
const markExpired = statement(
  'checkout_sessions_mark_expired',
  `update checkout_sessions set expired_event_at = $2
    where id = $1 and expires_at <= $2 and completed_at is null and cancelled_at is null and expired_event_at is null
    returning ${columnList}`,
);

/** @returns false when a session of the same form token is there already. */
export async function insertCheckoutSession(tx: Handle, row: CheckoutSessionRow): Promise<boolean> {
  const values = columns.map((column) => (jsonColumns.has(column) ? JSON.stringify(row[column]) : row[column]));
  return (await tx.run(insert, values)) === 1;
}

/** @param idOrToken a UUID, or else the token of its address. */
export function findCheckoutSession(
  db: Handle,
  scope: Scope,
  idOrToken: string,
): Promise<CheckoutSessionRow | undefined> {
  return db.maybeOne(isUuid(idOrToken) ? find : findByTokenInScope, [idOrToken, scope.merchantId, scope.livemode]);
}

/** For the page: whoever has the token may see it. */
export async function findCheckoutSessionByToken(db: Handle, token: string): Promise<CheckoutSessionRow | undefined> {
  // Addresses may hold anything, also what the database would not take as text.
  return isToken(token) ? db.maybeOne(findByToken, [token]) : undefined;
}

export function findCheckoutSessionByForm(
  db: Handle,
  productId: string,
  formToken: string,
): Promise<CheckoutSessionRow | undefined> {
  return db.maybeOne(findByForm, [productId, formToken]);
}

export function findCheckoutSessionOfOrder(db: Handle, orderId: string): Promise<CheckoutSessionRow | undefined> {
  return db.maybeOne(findByOrder, [orderId]);
}

export function lockCheckoutSession(tx: Handle, id: string): Promise<CheckoutSessionRow | undefined> {
  return tx.maybeOne(lock, [id]);
}

export async function setCheckoutOrder(tx: Handle, id: string, orderId: string, now: Date): Promise<void> {
  await tx.run(setOrder, [id, orderId, now]);
}

/** What the order asks for now is what its open session asks for. */
export async function restateCheckoutOfOrder(tx: Handle, order: OrderRow, now: Date): Promise<void> {
  await tx.run(restate, [
    order.id,
    order.total_amount_cents,
    order.tax_amount_cents,
    order.discount_amount_cents,
    order.discount_id,
    order.currency,
    JSON.stringify(order.items),
    JSON.stringify(order.pricing),
    now,
  ]);
}

/** pending or expired → completed. @returns the session as it is then; undefined when none of this order was open. */
export function markCheckoutCompleted(
  tx: Handle,
  orderId: string,
  completedAt: Date,
  now: Date,
): Promise<CheckoutSessionRow | undefined> {
  return tx.maybeOne(complete, [orderId, completedAt, now]);
}

/** pending or expired → cancelled. @returns false when it was over before. */
export async function markCheckoutCancelled(tx: Handle, id: string, now: Date): Promise<boolean> {
  return (await tx.run(cancel, [id, now])) === 1;
}

/** The order was cancelled, and with it what leads to it. */
export async function cancelCheckoutOfOrder(tx: Handle, orderId: string, now: Date): Promise<void> {
  await tx.run(cancelOfOrder, [orderId, now]);
}

interface CheckoutSign {
  id: string;
  /** Its open invoice. */
  invoice_id: string | null;
  /** Changes when what a payer should see changes. */
  sign: string;
}

/** How sessions stand, in one question for all that are being looked at. */
export function listCheckoutSigns(db: Handle, ids: readonly string[], now: Date): Promise<CheckoutSign[]> {
  return db.many(signs, [ids, now]);
}

/** Ids of sessions whose end nobody has been told of, oldest first. */
export async function listEndingCheckoutSessions(db: Handle, now: Date, limit: number): Promise<string[]> {
  return (await db.many<{ id: string }>(findEnding, [now, limit])).map(({ id }) => id);
}

/** Remembers that the end is being told. @returns the session; undefined when somebody was quicker or it was paid. */
export function markCheckoutExpiredTold(tx: Handle, id: string, now: Date): Promise<CheckoutSessionRow | undefined> {
  return tx.maybeOne(markExpired, [id, now]);
}

/** Newest first. @param now what the filter on status goes by. */
export function listCheckoutSessions(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
  now: Date,
): Promise<Page<CheckoutSessionRow>> {
  return listPage<CheckoutSessionRow>(
    db,
    {
      select: `select ${columnList} from checkout_sessions`,
      countFrom: 'from checkout_sessions',
      where: 'merchant_id = $1 and livemode = $2 and $3::timestamptz is not null',
      values: [scope.merchantId, scope.livemode, now],
      columns: {
        // What `statusOfCheckoutSession` says, in SQL; a test holds the two together.
        status: `(case when completed_at is not null then 'completed' when cancelled_at is not null then 'cancelled'
                       when expires_at <= $3 then 'expired' else 'pending' end)`,
        created_at: 'created_at',
      },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
