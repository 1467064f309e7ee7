import { receivedCents } from './payments.ts';

/**
 * The rules of the books: what must hold between orders, invoices, payments, sales and events whatever has happened.
 * Tests run them after every storm, operators with `satline ledger check`.
 */

/** Rows of a table with not exactly one event of the kind where the condition holds, or with any where it does not. */
const onceFor = (table: string, kind: string, condition: string) => `
  select x.id from ${table} x
   where (select count(*) from events e where e.subject_id = x.id and e.kind = '${kind}') <> (${condition})::int`;

/** Orders beside what was paid for them. */
const moneyOfOrders = `
  with money as (
    select o.*, count(p.id) as payments,
           count(p.id) filter (where p.kind = 'cash') as cash_payments,
           coalesce(sum(p.amount_cents) filter (where p.kind = 'lightning'), 0) as lightning_cents,
           coalesce(sum(p.amount_cents) filter (where p.kind = 'cash'), 0) as cash_cents
      from orders o left join payments p on p.order_id = o.id group by o.id)`;

/**
 * Rules that hold between orders, invoices, payments and events whatever has happened, each as a query for the rows that
 * break it. They look at all merchants and both modes. An event of one webhook alone (`webhook_id`) is a test event: it tells
 * of nothing in the books.
 */
export const ledgerRules: Readonly<Record<string, string>> = {
  'an order was created exactly once': onceFor('orders', 'order.created', 'true'),
  'an order is paid once, exactly when it says so': onceFor('orders', 'order.paid', 'x.paid_at is not null'),
  'an order is cancelled once, exactly when it says so': onceFor(
    'orders',
    'order.cancelled',
    'x.cancelled_at is not null',
  ),
  'an order’s moments go with its status': `
    select id from orders
     where (status in ('paid', 'refunded')) <> (paid_at is not null)
        or (status = 'cancelled') <> (cancelled_at is not null)
        or (cash_paid_at is not null and (paid_at is null or tender_type <> 'cash'))`,
  'a paid order got its money': `
    ${moneyOfOrders} select id from money where paid_at is not null and lightning_cents + cash_cents < total_amount_cents`,
  'a pending order still owes something': `
    ${moneyOfOrders} select id from money where status = 'pending' and payments > 0
       and lightning_cents + cash_cents >= total_amount_cents`,
  'cash was taken once, exactly when cash_paid_at says so': `
    ${moneyOfOrders} select id from money where cash_payments <> (cash_paid_at is not null)::int`,
  'an order asks for attention exactly when an event said so': `
    select o.id from orders o
     where (o.attention is not null) <>
           exists (select from events e where e.subject_id = o.id and e.kind = 'order.attention')`,
  'only a pending order has an open invoice': `
    select o.id from orders o join invoices i on i.order_id = o.id
     where i.paid_at is null and i.superseded_at is null and (o.status <> 'pending' or o.tender_type = 'cash')`,

  'an invoice was created exactly once': onceFor('invoices', 'invoice.created', 'true'),
  'an invoice is paid once, exactly when it says so': onceFor('invoices', 'invoice.paid', 'x.paid_at is not null'),
  'an invoice expired at most once': onceFor('invoices', 'invoice.expired', 'x.expired_event_at is not null'),
  'a paid invoice has one payment, any other none': `
    select i.id from invoices i
     where (select count(*) from payments p where p.invoice_id = i.id) <> (i.paid_at is not null)::int`,
  'an invoice belongs where its order belongs': `
    select i.id from invoices i join orders o on o.id = i.order_id join wallets w on w.id = i.wallet_id
     where (i.merchant_id, i.livemode) <> (o.merchant_id, o.livemode)
        or (i.merchant_id, i.livemode) <> (w.merchant_id, w.livemode)`,
  'nobody can pay an invoice longer than its string lives': `
    select id from invoices where expires_at > bolt11_expires_at`,

  'a payment of an invoice says what the invoice says': `
    select p.id from payments p join invoices i on i.id = p.invoice_id
     where (p.order_id, p.merchant_id, p.livemode, p.payment_hash, p.wallet_id, p.settled_at, p.amount_cents)
           is distinct from (i.order_id, i.merchant_id, i.livemode, i.payment_hash, i.wallet_id, i.paid_at, i.quoted_cents)`,
  'a payment belongs where its order belongs': `
    select p.id from payments p join orders o on o.id = p.order_id
     where (p.merchant_id, p.livemode, p.currency) <> (o.merchant_id, o.livemode, o.currency)`,
  'no two payments share a hash': `
    select payment_hash from payments where payment_hash is not null group by 1 having count(*) > 1`,
  'a preimage proves its payment': `
    select id from payments
     where (preimage is not null) <> (evidence is not distinct from 'proof')
        or encode(sha256(decode(preimage, 'hex')), 'hex') <> payment_hash`,
  'a lightning payment has an invoice, sats and values, one of 0 no invoice; cash has none': `
    select id from payments
     where num_nonnulls(invoice_id, payment_hash, wallet_id, amount_sats, evidence, btc_usd_price, btc_fiat_price,
                        usd_value, fiat_value, usd_variance_cents, fiat_variance_cents, variance_percentage)
           <> case when kind = 'cash' then 0 when amount_sats = 0 and amount_cents = 0
                then 6 + num_nonnulls(btc_usd_price, btc_fiat_price) else 12 end
        or (kind = 'cash' and preimage is not null)`,
  'a lightning payment was received once, cash never': onceFor(
    'payments',
    'payment.received',
    `x.kind = 'lightning' and x.invoice_id is not null`,
  ),
  'a payment was confirmed once': onceFor('payments', 'payment.confirmed', 'true'),

  'a payment is received before it is confirmed, and confirmed before it pays its order': `
    select p.id from payments p
      join events confirmed on confirmed.subject_id = p.id and confirmed.kind = 'payment.confirmed'
      left join events received on received.subject_id = p.id and received.kind = 'payment.received'
     where received.seq > confirmed.seq`,
  'an order is paid by a payment that came before': `
    select e.id from events e
     where e.kind = 'order.paid' and e.webhook_id is null and not exists (
       select from payments p join events c on c.subject_id = p.id and c.kind = 'payment.confirmed'
        where p.order_id = e.subject_id and c.seq < e.seq)`,
  'an event belongs where its subject belongs, and its body says so': `
    select e.id from events e join (
        select id, merchant_id, livemode, 'order' as noun from orders
        union all select id, merchant_id, livemode, 'invoice' from invoices
        union all select id, merchant_id, livemode, 'payment' from payments
      ) x on x.id = e.subject_id
     where e.kind like x.noun || '.%' and (
           (e.merchant_id, e.livemode) <> (x.merchant_id, x.livemode)
        or e.body::jsonb ->> 'id' <> e.id
        or e.body::jsonb ->> 'event' <> e.kind
        or (e.body::jsonb -> 'livemode')::boolean <> e.livemode
        or e.body::jsonb -> 'data' ->> 'object' <> x.noun
        or e.body::jsonb -> 'data' ->> 'id' <> x.id::text)`,
  'the story of an order starts with its creation': `
    select e.id from events e join events created on created.subject_id = e.subject_id and created.kind = 'order.created'
     where e.seq < created.seq and e.webhook_id is null`,

  'a paid order has one sale, any other none': `
    select o.id from orders o
     where (select count(*) from sales s where s.order_id = o.id) <> (o.paid_at is not null)::int`,
  'a sale says what its order says': `
    select s.id from sales s join orders o on o.id = s.order_id
     where (s.merchant_id, s.livemode, s.currency, s.total_cents, s.tax_cents, s.discount_cents, s.source)
           <> (o.merchant_id, o.livemode, o.currency, o.total_amount_cents, o.tax_amount_cents, o.discount_amount_cents,
               o.source)`,
  'a checkout is completed exactly when its order is paid, unless it was cancelled': `
    select s.id from checkout_sessions s left join orders o on o.id = s.order_id
     where (s.completed_at is not null) <> (o.paid_at is not null and s.cancelled_at is null)`,
  'a completed checkout was told of once': onceFor(
    'checkout_sessions',
    'checkout.completed',
    'x.completed_at is not null',
  ),
  'an order of a subscription is one of its periods, and no other order is': `
    select o.id from orders o left join subscription_periods p on p.order_id = o.id
     where (o.source = 'subscription') <> (p.id is not null)`,
  'a period waits exactly while its order is to be paid': `
    select p.id from subscription_periods p join orders o on o.id = p.order_id
     where p.settled <> (o.status <> 'pending')`,
  'a period belongs where its order belongs': `
    select p.id from subscription_periods p join orders o on o.id = p.order_id
      join subscriptions s on s.id = p.subscription_id
     where (s.merchant_id, s.livemode, s.currency) <> (o.merchant_id, o.livemode, o.currency)`,
  'periods of a subscription do not overlap': `
    select p.id from subscription_periods p join subscription_periods n
        on n.subscription_id = p.subscription_id and n.number > p.number
     where n.starts_at < p.ends_at`,
  'a subscription was cancelled once, exactly when it says so': onceFor(
    'subscriptions',
    'subscription.cancelled',
    'x.cancelled_at is not null',
  ),
  'a period is told of at most once': `
    select e.subject_id as id from events e where e.kind = 'subscription.renewed'
     group by e.subject_id, e.body::jsonb -> 'data' -> 'period' ->> 'id' having count(*) > 1`,
  'a checkout expired at most once': onceFor('checkout_sessions', 'checkout.expired', 'x.expired_event_at is not null'),
  'a sale gave back what its refunds say, and its order knows': `
    select s.id from sales s join orders o on o.id = s.order_id, lateral (
        select coalesce(sum(r.amount_cents), 0) as given, count(*) as refunds from refunds r where r.sale_id = s.id) back
     where s.refunded_cents <> back.given or s.refunded_cents > ${receivedCents}
        or (s.status = 'refunded') <> (o.status = 'refunded')
        or back.refunds <> (select count(*) from events e where e.subject_id = o.id and e.kind = 'order.refunded')`,
  'the lines of a sale add up': `
    select s.id from sales s, lateral (
        select sum((line ->> 'line_total_cents')::bigint) as lines, sum((line ->> 'tax_amount_cents')::bigint) as taxes
          from jsonb_array_elements(s.items) line) sums
     where (sums.lines, sums.taxes) <> (s.subtotal_cents, s.tax_cents)`,
  'a sale was completed by a payment of its order': `
    select s.id from sales s left join payments p on p.id = s.payment_id where p.order_id is distinct from s.order_id`,
};
