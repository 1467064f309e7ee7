// Many rows at once, as SQL. One order in a hundred is picked out by each of the filters that `listFilters` names.

/** Gives a merchant `count` orders, the newest a minute ago, one a minute before that; 1 % of them paid in cash. */
export async function fillOrders(database, merchantId, count) {
  await database.query(
    `insert into orders (id, merchant_id, livemode, order_number, status, tender_type, source, currency,
                         total_amount_cents, tax_amount_cents, discount_amount_cents, total_amount_sats, items, po_number,
                         metadata, btc_usd_price, btc_fiat_price, rate_source, rate_quoted_at, paid_at, cash_paid_at, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'F-' || lpad(n::text, 6, '0'),
            case when n % 100 = 7 then 'refunded' when n % 10 = 3 then 'pending' when n % 20 = 9 then 'cancelled'
                 else 'paid' end,
            case when n % 100 = 42 then 'cash' else 'bitcoin' end, 'api',
            case when n / 10 % 10 = 5 then 'eur' else 'usd' end,
            100 + n * 7919 % 100000 * 100, 0, 0, 12500, '[{"name":"Espresso","price_cents":1250,"qty":1}]',
            'F-' || lpad(n::text, 6, '0'), '{"table":"12"}', 100000, 100000, 'fixed', at,
            case when n % 10 <> 3 and n % 20 <> 9 then at end, case when n % 100 = 42 then at end, at, at
       from generate_series(1, $2::integer) n, lateral (select now() - n * interval '1 minute' as at) t`,
    [merchantId, count],
  );
  await database.query(
    `insert into payments (id, merchant_id, livemode, order_id, kind, amount_cents, currency, confirmed_at, settled_at,
                           created_at, updated_at)
     select gen_random_uuid(), merchant_id, livemode, id, case tender_type when 'cash' then 'cash' else 'lightning' end,
            total_amount_cents, currency, paid_at, paid_at, paid_at, paid_at
       from orders where merchant_id = $1 and status in ('paid', 'refunded')`,
    [merchantId],
  );
}

/** Gives a merchant `count` products that are for sale, in types of 20. */
export async function fillProducts(database, merchantId, count) {
  await database.query(
    `insert into product_types (id, merchant_id, livemode, name, position, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'Type ' || n, n, now(), now() from generate_series(1, $2::integer / 20 + 1) n`,
    [merchantId, count],
  );
  await database.query(
    `insert into products (id, merchant_id, livemode, slug, name, description, sku, price_cents, currency, status,
                           position, product_type_id, metadata, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'prod_' || substr(md5($1 || n::text), 1, 16), 'Product ' || n,
            'What it is made of, in a sentence or two', 'SKU-' || n, 100 + n, 'usd', 'active', n, t.id, '{}', now(), now()
       from generate_series(1, $2::integer) n
       join product_types t on t.merchant_id = $1::uuid and t.position = n / 20 + 1`,
    [merchantId, count],
  );
}

/** Query strings that keep about one order in a hundred of a merchant who was given `count`. */
export function listFilters(count) {
  const minutesAgo = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
  return {
    'by status': 'q[status_eq]=refunded',
    'by status and currency': 'q[status_eq]=pending&q[currency_eq]=eur',
    'by amount': 'q[total_amount_cents_gteq]=9900100',
    'by days': `q[created_at_gteq]=${minutesAgo(count * 0.51)}&q[created_at_lt]=${minutesAgo(count * 0.5)}`,
    'by means of payment': 'q[payments_payment_type_eq]=1',
  };
}
