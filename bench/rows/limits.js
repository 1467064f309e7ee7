// What counting requests costs: the share of CPU time that the limiter takes while orders are read by id.
import { newOrder } from '../parts/inside.js';
import { call, closedLoop, get, median, post } from '../parts/load.js';
import { rounds } from '../parts/rounds.js';
import { openShop } from '../parts/shop.js';

const connections = 32;
/** Everything that there would not be without limits: counting, headers, telling the other processes. */
const modules = [
  '/limits/request-limits.js',
  '/limits/rate-limiter.js',
  '/limits/rate-news.js',
  '/store/rate-windows.js',
];

export async function limits({ builds, seconds, count }) {
  const lines = [];
  for (const { name, dist } of builds) {
    // Not the bundle, which has no modules to tell apart.
    const { merchant, product, close } = await openShop({ dist, entry: 'start.js', preloads: ['profile.js'] });
    try {
      const { body } = await call(product.url, post('/api/v1/m/orders', merchant.key, newOrder));
      const request = get(`/api/v1/m/orders/${body.id}`, merchant.key);
      const read = async (duration) => {
        await product.ask({ profile: 'start' }, 'profiling');
        const result = await closedLoop({ urls: [product.url], connections, seconds: duration, next: () => request });
        return { ...result, share: await product.ask({ profile: 'stop', modules }, 'share') };
      };
      const { read: results } = await rounds({ read }, { count, seconds });
      lines.push({
        what: `limiter, % of the CPU of reading an order${name}`,
        value: median(results.map(({ share }) => share * 100)),
        atMost: true,
        wanted: 5,
        figures: `${Math.round(median(results.map(({ rate }) => rate)))}/s while it is profiled`,
      });
    } finally {
      await close();
    }
  }
  return lines;
}
