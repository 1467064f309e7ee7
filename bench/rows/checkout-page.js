// What one page of the hosted checkout costs: renders per second of CPU with the code of the invoice kept, as when a payer's
// page looks again, and with a fresh one; and its size as browsers get it.
import { brotliCompressSync, constants } from 'node:zlib';
import { load } from '../parts/inside.js';

const bolt11Signs = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';

export async function checkoutPage({ builds, seconds }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const { renderCheckoutPage } = await load(dist, 'surfaces/pay/pages/checkout-page.js');
    const render = (bolt11) => renderCheckoutPage(view(bolt11), { nonce: 'bm9uY2U=', language: 'en' });
    const kept = rendersPerCpuSecond(seconds, () => render(invoice(0)));
    let count = 0;
    const fresh = rendersPerCpuSecond(seconds, () => render(invoice(++count)));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
    const html = render(invoice(0));
    lines.push(
      {
        what: `checkout pages per CPU second, code kept${name}`,
        value: kept,
        wanted: 1000,
        stretch: 5000,
        figures: `${Math.round(fresh)} with a fresh code`,
      },
      {
        what: `checkout page with code in brotli, kB${name}`,
        value: brotliCompressSync(html, { params }).length / 1000,
        atMost: true,
        wanted: 10,
        stretch: 8,
        figures: `${(html.length / 1000).toFixed(1)} kB before`,
      },
    );
  }
  return lines;
}

/** Single-threaded work: CPU time of this process is what it took. */
function rendersPerCpuSecond(seconds, render) {
  for (let warm = 0; warm < 200; warm++) render();
  const start = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let count = 0;
  for (; performance.now() < end; count++) render();
  const { user, system } = process.cpuUsage(start);
  return count / ((user + system) / 1e6);
}

function invoice(seed) {
  let state = seed + 1;
  let text = 'lnbc241370n1';
  while (text.length < 400) {
    state = (state * 1103515245 + 12345) % 2147483648;
    text += bolt11Signs[Math.floor(state / 65536) % 32];
  }
  return text;
}

/** @returns {import('../../src/model/checkout-view.ts').CheckoutView} */
function view(bolt11) {
  return {
    state: 'pending',
    livemode: true,
    token: 'cs_bench',
    checkoutId: '0192f0c1-0000-7000-8000-000000000001',
    merchant: { name: 'Northwind Coffee', logoUrl: null, timeZone: 'Europe/Berlin' },
    currency: 'usd',
    amountCents: 2450,
    paidCents: 0,
    amountSats: 24137,
    taxCents: 200,
    discountCents: 0,
    lines: [
      { name: 'Ethiopia Guji, 250 g', qty: 1, price_cents: 1800 },
      { name: 'Paper filters', qty: 2, price_cents: 225 },
    ],
    taxDetails: [{ name: 'Tax', rate: '8.89', amount_cents: 200, inclusive: false }],
    exchangeRate: '101503.22',
    bolt11,
    secondsLeft: 874,
    endsAt: new Date('2026-11-27T14:32:00.000Z'),
    orderId: '0192f0c1-0000-7000-8000-000000000002',
    orderNumber: 'ORD-001042',
    paidAt: undefined,
    redirectUrl: undefined,
    cancelUrl: 'https://shop.example/cart',
    receiptUrl: undefined,
    paymentLinkSlug: undefined,
    customer: { email: null, name: null, phone: null, address: null },
    mode: 'redirect',
    theme: 'auto',
    accentColor: '#4f46e5',
    allowedOrigins: [],
    unpayableReason: undefined,
    asksForPreimage: false,
    items: [],
  };
}
