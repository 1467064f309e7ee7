// Reading all sales of a merchant as CSV: the most memory that the product's process held from its start to the end of the
// file. How many sales is the run's to say (--sales).
import { createDatabase } from '../parts/database.js';
import { openInside } from '../parts/inside.js';
import { startProduct } from '../parts/product.js';

export async function exportSales({ builds, sales }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const database = await createDatabase();
    try {
      const inside = await openInside(dist, database);
      const merchant = await inside.addMerchant();
      await inside.close();
      await fillSales(database, merchant.id, sales);
      await database.query('vacuum analyze');
      const product = await startProduct({ dist, database });
      try {
        const before = product.rssMegabytes();
        const started = performance.now();
        const { rows, bytes } = await readCsv(`${product.url}/api/v1/m/sales`, merchant.key);
        const elapsed = (performance.now() - started) / 1000;
        if (rows !== sales) throw new Error(`The file has ${rows} sales instead of ${sales}`);
        lines.push({
          what: `memory for ${sales.toLocaleString('en-US')} sales as CSV, MB${name}`,
          value: product.peakMegabytes(),
          atMost: true,
          wanted: 150,
          figures: `${before.toFixed(0)} MB before; ${(bytes / 1e6).toFixed(0)} MB in ${elapsed.toFixed(1)} s, ${Math.round(rows / elapsed)} sales/s`,
        });
      } finally {
        await product.stop();
      }
    } finally {
      await database.drop();
    }
  }
  return lines;
}

/** Counts the lines of an answer without keeping it; no field of what is filled in here holds a line's end. */
async function readCsv(url, key) {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}`, accept: 'text/csv' } });
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  let lines = 0;
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  return { rows: lines - 1, bytes };
}

/** Paid orders with payment and sale, one a second, the newest now. */
async function fillSales(database, merchantId, count) {
  await database.query(
    `insert into orders (id, merchant_id, livemode, order_number, status, tender_type, source, currency,
                         total_amount_cents, tax_amount_cents, discount_amount_cents, total_amount_sats, items, po_number,
                         metadata, paid_at, cash_paid_at, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'S-' || n, 'paid', 'cash', 'api', 'usd', 1250, 0, 0, 12500,
            '[{"name":"Espresso and a croissant","price_cents":1250,"qty":1}]', 'S-' || n, '{"table":"12"}', at, at, at, at
       from generate_series(1, $2::integer) n, lateral (select now() - n * interval '1 second' as at) t`,
    [merchantId, count],
  );
  await database.query(
    `insert into payments (id, merchant_id, livemode, order_id, kind, amount_cents, currency, confirmed_at, settled_at,
                           created_at, updated_at)
     select gen_random_uuid(), merchant_id, livemode, id, 'cash', total_amount_cents, currency, paid_at, paid_at, paid_at,
            paid_at
       from orders where merchant_id = $1`,
    [merchantId],
  );
  await database.query(
    `insert into sales (id, merchant_id, livemode, order_id, payment_id, status, source, payment_method, currency,
                        subtotal_cents, discount_cents, tax_cents, conversion_fee_percent, conversion_fee_cents,
                        total_cents, items, receipt_token, delivery_status, ordered_at, sold_at, created_at, updated_at)
     select gen_random_uuid(), o.merchant_id, o.livemode, o.id, p.id, 'paid', 'api', 'cash', 'usd', 1250, 0, 0, 0, 0, 1250,
            json_build_array(json_build_object('id', gen_random_uuid(), 'name', 'Espresso and a croissant', 'qty', 1,
                                               'price_cents', 1250, 'total_cents', 1250)),
            replace(gen_random_uuid()::text, '-', ''), 'not_required', o.paid_at, o.paid_at, o.paid_at, o.paid_at
       from orders o join payments p on p.order_id = o.id where o.merchant_id = $1`,
    [merchantId],
  );
}
