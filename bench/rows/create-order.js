// Creating an order with one item and its event, over pgbench with the same statements and as many clients.
import { createDatabase } from '../parts/database.js';
import { newOrder, openInside } from '../parts/inside.js';
import { closedLoop, median, percentile, post } from '../parts/load.js';
import { pgbenchOrders, preparePgbench, recordCreateOrder } from '../parts/pgbench.js';
import { startProduct, temporaryDirectory } from '../parts/product.js';
import { ratio, rounds } from '../parts/rounds.js';

const clients = 16;
const merchantCounts = [1, 50];

export async function createOrder({ builds, seconds, count }) {
  const opened = await Promise.all(builds.map(open));
  try {
    const candidates = {};
    for (const { name, product, merchants, pgbench } of opened) {
      for (const many of merchantCounts) {
        const requests = merchants.slice(0, many).map(({ key }) => post('/api/v1/m/orders', key, newOrder));
        let turn = 0;
        candidates[`pgbench ${many}${name}`] = (duration) => pgbench[many](duration, clients);
        candidates[`create ${many}${name}`] = async (duration) => {
          await product.loopDelay();
          const before = product.cpuMillis();
          const next = () => requests[turn++ % many];
          const result = await closedLoop({ urls: [product.url], connections: clients, seconds: duration, next });
          const cpuMicros = ((product.cpuMillis() - before) * 1000) / result.answered;
          return { ...result, cpuMicros, loopDelay: await product.loopDelay() };
        };
      }
    }
    const results = await rounds(candidates, { count, seconds });
    return merchantCounts.flatMap((many) =>
      opened.map(({ name }) => {
        const ours = results[`create ${many}${name}`];
        const theirs = results[`pgbench ${many}${name}`];
        const latencies = ours.flatMap((result) => result.latencies);
        const of = (results, member) => median(results.map((result) => result[member]));
        return {
          what: `create an order, ${many} merchant${many === 1 ? '' : 's'}${name}`,
          value: ratio(ours, theirs),
          wanted: 0.45,
          stretch: 0.65,
          figures:
            `${Math.round(of(ours, 'rate'))}/s against ${Math.round(of(theirs, 'rate'))}/s, ` +
            `${Math.round(of(ours, 'cpuMicros'))} µs CPU, p99 ${percentile(latencies, 0.99).toFixed(1)} ms, ` +
            `event loop p99 ${of(ours, 'loopDelay').toFixed(1)} ms`,
        };
      }),
    );
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
}

async function open({ name, dist }) {
  const database = await createDatabase();
  const inside = await openInside(dist, database);
  const merchants = [];
  for (let index = 0; index < Math.max(...merchantCounts); index++) merchants.push(await inside.addMerchant());
  await inside.close();
  const recorded = await recordCreateOrder(dist, database, merchants[0]);
  const directory = temporaryDirectory();
  await preparePgbench(database, merchants);
  const pgbench = Object.fromEntries(
    merchantCounts.map((many) => [
      many,
      pgbenchOrders({ directory: directory.path, database, recorded, merchants: many }),
    ]),
  );
  const product = await startProduct({ dist, database });
  return {
    name,
    product,
    merchants,
    pgbench,
    async close() {
      await product.stop();
      await database.drop();
      directory.remove();
    },
  };
}
