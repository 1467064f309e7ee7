// Reading an order by id, over a bare Fastify route that answers a constant of the same size.

import { fileURLToPath } from 'node:url';
import { newOrder } from '../parts/inside.js';
import { call, closedLoop, get, median, percentile, post } from '../parts/load.js';
import { startScript } from '../parts/process.js';
import { ratio, rounds, settlingSeconds } from '../parts/rounds.js';
import { openShop } from '../parts/shop.js';

const connections = 32;
const orders = 200;

export async function readOrder({ builds, seconds, count }) {
  const products = await Promise.all(builds.map(open));
  const first = products[0];
  const { text } = await call(first.product.url, first.requests[0]);
  const bare = startScript(fileURLToPath(new URL('../parts/bare.js', import.meta.url)), [
    String(Buffer.byteLength(text)),
  ]);
  try {
    const { port } = await bare.message((message) => message.port !== undefined);
    const constant = get('/constant');
    const candidates = {
      bare: (duration) => load(`http://127.0.0.1:${port}`, () => constant, bare, duration),
    };
    for (const { name, product, next } of products) {
      candidates[name] = (duration) => load(product.url, next, product, duration);
    }
    const results = await rounds(candidates, { count, seconds, warmUpSeconds: settlingSeconds });
    return products.map(({ name }) => ({
      what: `read an order by id${name}`,
      value: ratio(results[name], results.bare),
      wanted: 0.3,
      stretch: 0.45,
      figures:
        `${rate(results[name])}/s against ${rate(results.bare)}/s of ${Buffer.byteLength(text)} bytes, ` +
        `${cpu(results[name])} against ${cpu(results.bare)} µs CPU, ` +
        `p99 ${percentile(
          results[name].flatMap(({ latencies }) => latencies),
          0.99,
        ).toFixed(1)} ms, ` +
        `event loop p99 ${median(results[name].map(({ loopDelay }) => loopDelay)).toFixed(1)} ms`,
    }));
  } finally {
    await bare.stop();
    await Promise.all(products.map(({ close }) => close()));
  }

  async function load(url, next, server, duration) {
    await server.loopDelay?.();
    const before = server.cpuMillis();
    const result = await closedLoop({ urls: [url], connections, seconds: duration, next });
    const cpuMicros = ((server.cpuMillis() - before) * 1000) / result.answered;
    return { ...result, cpuMicros, loopDelay: await server.loopDelay?.() };
  }
}

const rate = (results) => Math.round(median(results.map((result) => result.rate)));
const cpu = (results) => Math.round(median(results.map(({ cpuMicros }) => cpuMicros)));

async function open({ name, dist }) {
  const { merchant, product, close } = await openShop({ dist });
  const requests = [];
  for (let index = 0; index < orders; index++) {
    const { body } = await call(product.url, post('/api/v1/m/orders', merchant.key, newOrder));
    requests.push(get(`/api/v1/m/orders/${body.id}`, merchant.key));
  }
  let turn = 0;
  return {
    name,
    product,
    requests,
    next: () => requests[turn++ % orders],
    close,
  };
}
