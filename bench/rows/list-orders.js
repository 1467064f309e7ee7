// A page of 25 orders and the total, with filters that keep 1 % of the rows: a merchant with 100,000 orders over one
// with 1,000, in one database with others beside them.
import { createDatabase } from '../parts/database.js';
import { fillOrders, listFilters } from '../parts/fill.js';
import { openInside } from '../parts/inside.js';
import { call, get, median } from '../parts/load.js';
import { startProduct } from '../parts/product.js';

const few = 1000;
const many = 100_000;
const others = [5000, 5000, 5000];

export async function listOrders({ builds, seconds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const database = await createDatabase();
    const inside = await openInside(dist, database);
    const small = await inside.addMerchant();
    const big = await inside.addMerchant();
    await fillOrders(database, small.id, few);
    await fillOrders(database, big.id, many);
    for (const count of others) await fillOrders(database, (await inside.addMerchant()).id, count);
    await inside.close();
    await database.query('vacuum analyze');
    const product = await startProduct({ dist, database });
    try {
      const figures = [];
      const ratios = [];
      for (const filter of Object.keys(listFilters(many))) {
        const bytes = (merchant, count) =>
          get(`/api/v1/m/orders?${listFilters(count)[filter].replace(/\[|\]/g, encodeURIComponent)}`, merchant.key);
        const [small50, big50] = await measure(product.url, [bytes(small, few), bytes(big, many)], seconds);
        ratios.push(big50 / small50);
        figures.push(`${filter} ${small50.toFixed(1)} → ${big50.toFixed(1)} ms`);
      }
      lines.push({
        what: `list 25 of 1 %, p50 at 100,000 orders over 1,000, worst filter${name}`,
        value: Math.max(...ratios),
        atMost: true,
        wanted: 3,
        stretch: 1.5,
        figures: figures.join(', '),
      });
    } finally {
      await product.stop();
      await database.drop();
    }
  }
  return lines;
}

/** The median milliseconds of each request, sent in turn for a while. */
async function measure(url, requests, seconds) {
  const warmUp = 5;
  const taken = requests.map(() => []);
  const deadline = performance.now() + seconds * 1000;
  for (let turn = -warmUp; turn < 0 || performance.now() < deadline; turn++) {
    for (const [index, bytes] of requests.entries()) {
      const sent = performance.now();
      const { body } = await call(url, bytes);
      if (turn >= 0) taken[index].push(performance.now() - sent);
      if (body.meta.total_count < 5) throw new Error('The filter keeps too little');
    }
  }
  return taken.map(median);
}
