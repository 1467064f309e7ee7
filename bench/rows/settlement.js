// From the wallet's word to the order paid and its events recorded, 50 payments a second. The word is the look-up that
// follows `simulate_payment`; what is measured is that whole call over HTTP, so the figure is an upper bound.
import { newOrder } from '../parts/inside.js';
import { call, openLoop, percentile, post } from '../parts/load.js';
import { openShop } from '../parts/shop.js';

const perSecond = 50;

export async function settlement({ builds, seconds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const { database, merchant, product, close } = await openShop({ dist });
    try {
      const measured = Math.max(3, seconds * 3) * perSecond;
      const order = { ...newOrder, generate_invoice: true };
      const invoices = [];
      for (let index = 0; index < measured + perSecond; index++) {
        invoices.push((await call(product.url, post('/api/v1/m/orders', merchant.key, order))).body.invoice.id);
      }
      const pay = (id) => post(`/api/v1/m/invoices/${id}/simulate_payment`, merchant.key, {});
      await openLoop({ urls: [product.url], perSecond, requests: invoices.splice(0, perSecond).map(pay) });
      await product.loopDelay();
      const { latencies, failed } = await openLoop({ urls: [product.url], perSecond, requests: invoices.map(pay) });
      const loopDelay = await product.loopDelay();
      const [{ paid, told }] = await database.query(
        `select (select count(*) from orders where status = 'paid')::int as paid,
                (select count(*) from events where kind = 'order.paid')::int as told`,
      );
      if (failed > 0 || paid !== measured + perSecond || told !== paid) {
        throw new Error(`${failed} payments failed; ${paid} orders are paid, ${told} events say so`);
      }
      lines.push({
        what: `settlement at ${perSecond}/s, p99 in ms${name}`,
        value: percentile(latencies, 0.99),
        atMost: true,
        wanted: 50,
        stretch: 20,
        figures: `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, ${latencies.length} payments, event loop p99 ${loopDelay.toFixed(1)} ms`,
      });
    } finally {
      await close();
    }
  }
  return lines;
}
