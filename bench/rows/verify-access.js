// Verifying access tokens with a secret key: signature, and whether the order still opens the product. Over a bare Fastify
// route that reads the same body and answers a constant of the same size.

import { fileURLToPath } from 'node:url';
import { call, closedLoop, get, median, percentile, post } from '../parts/load.js';
import { startScript } from '../parts/process.js';
import { ratio, rounds, settlingSeconds } from '../parts/rounds.js';
import { openShop } from '../parts/shop.js';

const connections = 32;
/** Orders that tokens are of; strangers may open only so many checkouts a minute. */
const purchases = 20;

export async function verifyAccess({ builds, seconds, count }) {
  const products = await Promise.all(builds.map(open));
  const [{ product: first, bodies }] = products;
  const { text } = await call(first.url, products[0].requests[0]);
  const bare = startScript(fileURLToPath(new URL('../parts/bare.js', import.meta.url)), [
    String(Buffer.byteLength(text)),
  ]);
  try {
    const { port } = await bare.message((message) => message.port !== undefined);
    const constants = bodies.map((body) => post('/constant', undefined, body));
    let turn = 0;
    const candidates = {
      bare: (duration) => load(`http://127.0.0.1:${port}`, () => constants[turn++ % purchases], bare, duration),
    };
    for (const { name, product, next } of products) {
      candidates[name] = (duration) => load(product.url, next, product, duration);
    }
    const results = await rounds(candidates, { count, seconds, warmUpSeconds: settlingSeconds });
    return products.map(({ name }) => ({
      what: `verify an access token${name}`,
      value: ratio(results[name], results.bare),
      wanted: 0.25,
      figures:
        `${rate(results[name])}/s against ${rate(results.bare)}/s of ${Buffer.byteLength(text)} bytes, ` +
        `${cpu(results[name])} against ${cpu(results.bare)} µs CPU, ` +
        `p99 ${percentile(
          results[name].flatMap(({ latencies }) => latencies),
          0.99,
        ).toFixed(1)} ms`,
    }));
  } finally {
    await bare.stop();
    await Promise.all(products.map(({ close }) => close()));
  }

  async function load(url, next, server, duration) {
    const before = server.cpuMillis();
    const result = await closedLoop({ urls: [url], connections, seconds: duration, next });
    if (result.failed > 0) throw new Error(`${result.failed} answers failed`);
    return { ...result, cpuMicros: ((server.cpuMillis() - before) * 1000) / result.answered };
  }
}

const rate = (results) => Math.round(median(results.map((result) => result.rate)));
const cpu = (results) => Math.round(median(results.map(({ cpuMicros }) => cpuMicros)));

async function open({ name, dist }) {
  const { merchant, product, close } = await openShop({ dist });
  const send = async (path, body) => (await call(product.url, post(path, merchant.key, body))).body;
  const film = await send('/api/v1/m/products', {
    product: { name: 'Film', price_cents: 500, resource_type: 'digital_download' },
  });
  const bodies = [];
  for (let index = 0; index < purchases; index++) {
    const session = { checkout_session: { product_id: film.id } };
    const { token } = await send('/api/v1/m/checkout_sessions', session);
    await call(product.url, post(`/checkout/${token}/simulate_payment`, undefined, {}));
    const status = await call(product.url, get(`/checkout/${token}/status`));
    bodies.push({ access_token: status.body.access_token });
  }
  const requests = bodies.map((body) => post('/api/v1/m/access/verify', merchant.key, body));
  let turn = 0;
  return {
    name,
    product,
    bodies,
    requests,
    next: () => requests[turn++ % purchases],
    close,
  };
}
