// The catalog of a shop with 5,000 products over one with 50, and what it costs who has it already: 304 over a bare
// Fastify route that answers just that.
import { fileURLToPath } from 'node:url';
import { createDatabase } from '../parts/database.js';
import { fillProducts } from '../parts/fill.js';
import { openInside } from '../parts/inside.js';
import { call, closedLoop, get, median, percentile } from '../parts/load.js';
import { startScript } from '../parts/process.js';
import { startProduct } from '../parts/product.js';
import { ratio, rounds, settlingSeconds } from '../parts/rounds.js';

const few = 50;
const many = 5000;
const connections = 32;
const path = '/api/v1/m/catalog';

export async function catalog({ builds, seconds, count }) {
  const lines = [];
  const bare = startScript(fileURLToPath(new URL('../parts/bare.js', import.meta.url)), []);
  try {
    const { port } = await bare.message((message) => message.port !== undefined);
    const yardstick = { url: `http://127.0.0.1:${port}`, cpuMillis: bare.cpuMillis };
    for (const { name, dist } of builds) {
      const database = await createDatabase();
      const inside = await openInside(dist, database);
      const [small, big] = [await inside.addMerchant(), await inside.addMerchant()];
      await fillProducts(database, small.id, few);
      await fillProducts(database, big.id, many);
      await inside.close();
      await database.query('vacuum analyze');
      const product = await startProduct({ dist, database });
      try {
        lines.push(await reading(name, product, [small, big], seconds));
        lines.push(await unchanged(name, product, big, yardstick, { seconds, count }));
      } finally {
        await product.stop();
        await database.drop();
      }
    }
  } finally {
    await bare.stop();
  }
  return lines;
}

/** One caller, both shops in turn: the time from asking to the last byte. */
async function reading(name, product, merchants, seconds) {
  const requests = merchants.map(({ key }) => get(path, key));
  const sizes = await Promise.all(requests.map(async (bytes) => (await call(product.url, bytes)).text.length));
  const taken = requests.map(() => []);
  let turn = 0;
  await closedLoop({ urls: [product.url], connections: 1, seconds: seconds * 2, next, onAnswer });
  const [small50, big50] = taken.map((times) => median(times.slice(5)));
  return {
    what: `catalog of ${many} products over one of ${few}, p50${name}`,
    value: big50 / small50,
    atMost: true,
    wanted: 3,
    figures: `${small50.toFixed(2)} → ${big50.toFixed(2)} ms, ${sizes.map((size) => `${Math.round(size / 1000)} kB`).join(' → ')}`,
  };

  function next() {
    return requests[turn % 2];
  }
  function onAnswer(_status, _chunks, millis) {
    taken[turn++ % 2].push(millis);
  }
}

async function unchanged(name, product, merchant, bare, { seconds, count }) {
  const { headers } = await fetch(`${product.url}${path}`, { headers: { authorization: `Bearer ${merchant.key}` } });
  const conditional = get(path, merchant.key, `If-None-Match: ${headers.get('etag')}\r\n`);
  const constant = get('/unchanged');
  const results = await rounds(
    {
      bare: (duration) => load(bare, constant, duration),
      product: (duration) => load(product, conditional, duration),
    },
    { count, seconds, warmUpSeconds: settlingSeconds },
  );
  const middle = (one, of) => Math.round(median(results[one].map(of)));
  const rate = (one) => middle(one, (result) => result.rate);
  const cpu = (one) => middle(one, (result) => result.cpuMicros);
  const latencies = results.product.flatMap((result) => result.latencies);
  return {
    what: `catalog that has not changed (304)${name}`,
    value: ratio(results.product, results.bare),
    wanted: 0.5,
    figures:
      `${rate('product')}/s against ${rate('bare')}/s of the bare route, ${cpu('product')} against ${cpu('bare')} µs CPU, ` +
      `p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
  };
}

async function load(server, bytes, seconds) {
  const before = server.cpuMillis();
  const next = () => bytes;
  const result = await closedLoop({ urls: [server.url], connections, seconds, next, unchanged: true });
  return { ...result, cpuMicros: ((server.cpuMillis() - before) * 1000) / result.answered };
}
