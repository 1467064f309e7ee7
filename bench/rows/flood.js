// Strangers open checkout pages from one address as fast as they are answered, while the merchant sells on: what an order
// with its invoice takes then, over what it takes when it is quiet.
import { newOrder } from '../parts/inside.js';
import { call, closedLoop, get, median, openLoop, percentile, post } from '../parts/load.js';
import { ratio, rounds } from '../parts/rounds.js';
import { openShop } from '../parts/shop.js';

const visitors = 50;
const checkouts = 60;
/** A till asks now and then; it does not keep the process busy by itself. */
const ordersPerSecond = 10;

export async function flood({ builds, seconds, count }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const { merchant, product, close } = await openShop({ dist });
    try {
      const session = { checkout_session: { amount_cents: 2450 } };
      const pages = [];
      for (let index = 0; index < checkouts; index++) {
        const { body } = await call(product.url, post('/api/v1/checkout_sessions', merchant.key, session));
        pages.push(get(`/checkout/${body.token}`, undefined, 'Accept: text/html\r\nAccept-Encoding: br\r\n'));
      }
      const order = post('/api/v1/m/orders', merchant.key, { ...newOrder, generate_invoice: true });
      const sell = async (duration) => {
        const before = product.cpuMillis();
        const { latencies, failed } = await sellSteadily(product.url, order, duration);
        if (failed > 0) throw new Error(`${failed} orders failed`);
        return { latencies, cpu: (product.cpuMillis() - before) / duration / 10 };
      };
      let opened = 0;
      let turned = 0;
      let turn = 0;
      const results = await rounds(
        {
          quiet: sell,
          flooded: async (duration) => {
            const flooding = closedLoop({
              urls: [product.url],
              connections: visitors,
              seconds: duration,
              next: () => pages[turn++ % pages.length],
              onAnswer: (status) => (status < 300 ? opened++ : turned++),
              mayRefuse: true,
            });
            const [sold] = await Promise.all([sell(duration), flooding]);
            return sold;
          },
        },
        { count, seconds },
      );
      const millis = (share) => (round) => percentile(round.latencies, share);
      const of = (candidate, share) => median(results[candidate].map(millis(share))).toFixed(1);
      lines.push({
        what: `order with invoice during a flood of pages, over when it is quiet${name}`,
        value: ratio(results.flooded, results.quiet, millis(0.5)),
        atMost: true,
        wanted: 1.5,
        figures:
          `median ${of('flooded', 0.5)} against ${of('quiet', 0.5)} ms, p95 ${of('flooded', 0.95)} against ${of('quiet', 0.95)} ms; ` +
          `${visitors} visitors, ${opened} pages opened, ${turned} turned away; ${median(results.flooded.map(({ cpu }) => cpu)).toFixed(0)} % of a CPU`,
      });
    } finally {
      await close();
    }
  }
  return lines;
}

function sellSteadily(url, order, duration) {
  return openLoop({
    urls: [url],
    perSecond: ordersPerSecond,
    requests: Array(Math.ceil(duration * ordersPerSecond)).fill(order),
  });
}
