// A second process on the same PostgreSQL: CPU per request of both together over that of either alone, and whether any
// look-up of an invoice is made twice.
import { createDatabase } from '../parts/database.js';
import { newOrder, openInside } from '../parts/inside.js';
import { call, get, median, openLoop, post } from '../parts/load.js';
import { startProduct } from '../parts/product.js';
import { ratio, rounds } from '../parts/rounds.js';
import { startWallet } from '../parts/wallet-process.js';

/**
 * For each process, however many there are, and kept with ease. A process that is asked half as often takes more for each
 * request whatever it does, a bare route half as much again, so the same requests shared by two say little about sharing.
 */
const perSecond = 300;
const invoices = 40;
/** The plan leaves at least 2 s between two looks at an invoice that nobody watches. */
const shortestPauseMillis = 1000;

export async function secondProcess({ builds, seconds, count }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const database = await createDatabase();
    const inside = await openInside(dist, database);
    const merchant = await inside.addMerchant();
    const addressed = await inside.addMerchant();
    const wallet = await startWallet(dist, 0, 1000);
    await inside.useAddress(addressed, wallet.address);
    await inside.close();
    const products = [await startProduct({ dist, database }), await startProduct({ dist, database })];
    try {
      const { body } = await call(products[0].url, post('/api/v1/m/orders', merchant.key, newOrder));
      const requests = [
        post('/api/v1/m/orders', merchant.key, newOrder),
        ...Array(4).fill(get(`/api/v1/m/orders/${body.id}`, merchant.key)),
      ];
      let turn = 0;
      const run = async (asked, duration) => {
        const cpuMillis = () => asked.reduce((sum, product) => sum + product.cpuMillis(), 0);
        const urls = asked.map(({ url }) => url);
        const pace = perSecond * asked.length;
        const sent = Array.from({ length: pace * duration }, () => requests[turn++ % requests.length]);
        const before = cpuMillis();
        const { failed } = await openLoop({ urls, perSecond: pace, requests: sent });
        if (failed > 0) throw new Error(`${failed} of ${sent.length} requests failed`);
        return { cpuMicros: ((cpuMillis() - before) * 1000) / sent.length };
      };
      const invoice = post('/api/v1/m/orders', addressed.key, { ...newOrder, generate_invoice: true });
      for (let index = 0; index < invoices; index++) await call(products[index % 2].url, invoice);
      const results = await rounds(
        {
          one: (duration) => run(products.slice(0, 1), duration),
          // Alone as well, so that its compiler has settled as much as the first one's.
          other: (duration) => run(products.slice(1), duration),
          two: (duration) => run(products, duration),
        },
        { count, seconds },
      );
      const alone = results.one.map(({ cpuMicros }, round) => ({
        cpuMicros: (cpuMicros + results.other[round].cpuMicros) / 2,
      }));
      const looks = Object.values(await wallet.looks());
      const twice = looks.flatMap((moments) =>
        moments.filter((at, index) => index > 0 && at - moments[index - 1] < shortestPauseMillis),
      );
      const of = (results) => Math.round(median(results.map(({ cpuMicros }) => cpuMicros)));
      lines.push({
        what: `second process, CPU per request over one${name}`,
        value: ratio(results.two, alone, ({ cpuMicros }) => cpuMicros),
        atMost: true,
        wanted: 1.1,
        figures:
          `${of(results.two)} against ${of(alone)} µs for one order made to four read; ` +
          `${twice.length} of ${looks.flat().length} look-ups made twice`,
      });
    } finally {
      await Promise.all(products.map((product) => product.stop()));
      await wallet.stop();
      await database.drop();
    }
  }
  return lines;
}
