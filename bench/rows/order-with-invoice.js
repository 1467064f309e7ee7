// Creating an order together with its invoice, over creating an order alone: with a wallet whose invoices were signed
// before, and with the simulator, which signs each one in the product's own process.
import { createDatabase } from '../parts/database.js';
import { load, newOrder, openInside } from '../parts/inside.js';
import { call, closedLoop, median, percentile, post } from '../parts/load.js';
import { startProduct } from '../parts/product.js';
import { ratio, rounds } from '../parts/rounds.js';
import { startWallet } from '../parts/wallet-process.js';

const clients = 16;
const signedBefore = 12_000;

export async function orderWithInvoice({ builds, seconds, count }) {
  const opened = [];
  try {
    for (const build of builds) opened.push(await open(build));
    const candidates = {};
    for (const { name, product, simulated, addressed } of opened) {
      const withInvoice = { ...newOrder, generate_invoice: true };
      const alone = post('/api/v1/m/orders', simulated.key, newOrder);
      const ready = post('/api/v1/m/orders', addressed.key, withInvoice);
      const signing = post('/api/v1/m/orders', simulated.key, withInvoice);
      candidates[`alone${name}`] = (duration) => send(product, alone, duration);
      candidates[`ready${name}`] = (duration) => send(product, ready, duration);
      candidates[`simulator${name}`] = (duration) => send(product, signing, duration);
    }
    // What was made is not looked up any more: that work belongs to no other candidate.
    const forget = 'update invoices set next_look_at = null, watch_until = created_at where next_look_at is not null';
    const results = await rounds(candidates, {
      count,
      seconds,
      between: () => Promise.all(opened.map(({ database }) => database.query(forget))),
    });
    return opened.flatMap(({ name }) => [
      {
        what: `create an order with a ready-made invoice${name}`,
        value: ratio(results[`ready${name}`], results[`alone${name}`]),
        wanted: 0.3,
        stretch: 0.5,
        figures: figures(results[`ready${name}`], results[`alone${name}`]),
      },
      {
        what: `create an order with the simulator signing${name}`,
        value: ratio(results[`simulator${name}`], results[`alone${name}`]),
        wanted: 0.2,
        stretch: 0.35,
        figures: figures(results[`simulator${name}`], results[`alone${name}`]),
      },
    ]);
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }

  async function send(product, bytes, duration) {
    const before = product.cpuMillis();
    const result = await closedLoop({
      urls: [product.url],
      connections: clients,
      seconds: duration,
      next: () => bytes,
    });
    return { ...result, cpuMicros: ((product.cpuMillis() - before) * 1000) / result.answered };
  }
}

function figures(ours, alone) {
  const of = (results, member) => Math.round(median(results.map((result) => result[member])));
  const latencies = ours.flatMap((result) => result.latencies);
  return (
    `${of(ours, 'rate')}/s against ${of(alone, 'rate')}/s, ${of(ours, 'cpuMicros')} against ${of(alone, 'cpuMicros')} ` +
    `µs CPU, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`
  );
}

async function open({ name, dist }) {
  const database = await createDatabase();
  const inside = await openInside(dist, database);
  const simulated = await inside.addMerchant();
  const addressed = await inside.addMerchant();
  // Priced by the product, so that the wallet signs for the right amount.
  const sats = await priceInSats(dist, inside.parts);
  const wallet = await startWallet(dist, signedBefore, sats * 1000);
  await inside.useAddress(addressed, wallet.address);
  await inside.close();
  const product = await startProduct({ dist, database });
  const probe = await call(
    product.url,
    post('/api/v1/m/orders', addressed.key, { ...newOrder, generate_invoice: true }),
  );
  if (probe.body.invoice.amount_sats !== sats) throw new Error('The invoices were signed for another amount');
  return {
    name,
    database,
    product,
    simulated,
    addressed,
    async close() {
      await product.stop();
      await wallet.stop();
      await database.drop();
    },
  };
}

async function priceInSats(dist, parts) {
  const { quoteBitcoin } = await load(dist, 'flows/quote-bitcoin.js');
  return quoteBitcoin(parts.rates, {
    amountCents: newOrder.order.total_amount_cents,
    currency: 'usd',
    livemode: false,
    feePercent: '0',
  }).amountSats;
}
