import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { reportFigures } from './figures.ts';
import { soak } from './seeds.ts';

const count = soak ? 100_000 : 3000;

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  // Ten at each moment, so that pages end in the middle of a moment.
  await app.rows(
    `insert into orders (id, merchant_id, livemode, order_number, status, tender_type, source, currency,
                         total_amount_cents, tax_amount_cents, discount_amount_cents, total_amount_sats, items, po_number,
                         metadata, created_at, updated_at)
     select gen_random_uuid(), $1, false, 'L-' || n, case when n % 100 = 7 then 'cancelled' else 'pending' end, 'bitcoin',
            'api', 'usd', n, 0, 0, n, '[]', 'L-' || n, '{}', at, at
       from generate_series(1, ${count}) n,
            lateral (select timestamptz '2027-02-01T00:00Z' + (n / 10) * interval '1 second' as at) t`,
    [merchant.id],
  );
}, 120_000);
afterAll(() => app?.close());

test(`${count} orders are listed, each once, with the right totals`, { timeout: 600_000 }, async () => {
  const begun = performance.now();
  const seen = new Set<number>();
  const shown = count - count / 100;
  for (let page = 1; ; page++) {
    const { status, body } = await merchant.test.get(`/api/v1/m/orders?per_page=100&page=${page}`);
    expect([status, body.meta.total_count]).toEqual([200, shown]);
    for (const order of body.data) seen.add(order.total_amount_cents);
    if (body.meta.next_page === null) break;
    expect(body.data).toHaveLength(100);
  }
  expect(seen.size).toBe(shown);
  const seconds = (performance.now() - begun) / 1000;

  const cancelled = await merchant.test.get('/api/v1/m/orders?q[status_eq]=cancelled&per_page=1');
  expect(cancelled.body.meta.total_count).toBe(count / 100);
  const past = await merchant.test.get(`/api/v1/m/orders?per_page=100&page=${count}`);
  expect([past.status, past.body.data, past.body.meta.total_count]).toEqual([200, [], shown]);
  reportFigures(`${count} orders listed, 100 a page`, `each once, true totals on every page; ${seconds.toFixed(1)} s`);
});
