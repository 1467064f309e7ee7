// From an order's commit to the first byte at a webhook receiver, 50 events a second, while one endpoint of the same
// merchant refuses connections and one accepts them and never answers. The commit is taken as the moment the API's answer
// arrives, which is later: what the figure lacks is at most the way of that answer.
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newOrder } from '../parts/inside.js';
import { call, percentile, post } from '../parts/load.js';
import { freePort } from '../parts/process.js';
import { openShop } from '../parts/shop.js';

const perSecond = 50;

export async function webhooks({ builds, seconds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const { merchant, product, close } = await openShop({ dist });
    const receiver = await startReceiver();
    const hanging = await startHanging();
    try {
      for (const url of [receiver.url, `http://127.0.0.1:${await freePort()}/dead`, hanging.url]) {
        const webhook = { url, events: ['order.created'] };
        await call(product.url, post('/api/v1/m/webhooks', merchant.key, { webhook }));
      }
      await offer(product.url, merchant.key, perSecond);
      await sleep(1000);
      receiver.arrivals.clear();
      const answered = await offer(product.url, merchant.key, Math.max(5, seconds * 6) * perSecond);
      for (let tries = 0; receiver.arrivals.size < answered.size && tries < 100; tries++) await sleep(100);
      const missing = [...answered.keys()].filter((id) => !receiver.arrivals.has(id));
      if (missing.length > 0)
        throw new Error(`${missing.length} of ${answered.size} events did not arrive within 10 s`);
      const latencies = [...answered]
        .map(([id, at]) => Math.max(0, receiver.arrivals.get(id) - at))
        .sort((a, b) => a - b);
      lines.push({
        what: `webhook at ${perSecond}/s beside a dead and a hanging endpoint, p99 in ms${name}`,
        value: percentile(latencies, 0.99),
        atMost: true,
        wanted: 100,
        stretch: 30,
        figures: `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, ${latencies.length} events`,
      });
    } finally {
      receiver.stop();
      hanging.stop();
      await close();
    }
  }
  return lines;
}

/** Creates orders at an even pace. @returns when each order's answer arrived, by order id. */
async function offer(url, key, count) {
  const answered = new Map();
  const request = post('/api/v1/m/orders', key, newOrder);
  const started = performance.now();
  const calls = [];
  for (let index = 0; index < count; index++) {
    await sleep(Math.max(0, started + (index * 1000) / perSecond - performance.now()));
    calls.push(call(url, request).then(({ body }) => answered.set(body.id, performance.now())));
  }
  await Promise.all(calls);
  return answered;
}

async function startReceiver() {
  const arrivals = new Map();
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      arrivals.set(JSON.parse(Buffer.concat(chunks).toString()).data.id, at);
      response.end();
    });
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}/hook`, arrivals, stop: () => stop(server) };
}

async function startHanging() {
  const sockets = new Set();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  const port = await listening(server);
  const end = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/hang`, stop: end };
}

function listening(server) {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
}

function stop(server) {
  server.closeAllConnections();
  server.close();
}
