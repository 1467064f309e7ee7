import decodeQr from 'qr/decode.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addLiveWallet, type LiveWallet } from '../../harness/wallets.ts';

let app: TestApp;
let live: LiveWallet;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  live = await addLiveWallet(app);
});
afterAll(async () => {
  await app.close();
  await live.close();
});

describeRefusals(() => app, {
  method: 'GET',
  path: (id) => `/api/v1/m/invoices/${id}/qr`,
  permission: 'orders:read',
  resource: 'Invoice',
  make: async ({ test }) => (await createOrderWithInvoice(test)).invoice.id,
  makeLive: (merchant) => live.invoiceFor(merchant),
});

/** Paints the SVG's own path: each row is a pen's way from `M x y`, with runs (`h`) and gaps (`m dx 0`). */
function read(svg: string): { text: string; size: number; first: number } {
  const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(svg)![1]);
  const path = /stroke="#000" d="([^"]+)"/.exec(svg)![1]!;
  const scale = 4;
  const pixels = new Uint8Array((size * scale) ** 2 * 4).fill(255);
  let first = size;
  let [x, y] = [0, 0];
  for (const [, letter, one, other] of path.matchAll(/([Mmh])(\d+)(?: ([\d.]+))?/g)) {
    if (letter === 'M') [x, y] = [Number(one), Math.floor(Number(other))];
    else if (letter === 'm') x += Number(one);
    else {
      first = Math.min(first, x, y);
      for (let row = y * scale; row < (y + 1) * scale; row++) {
        pixels.fill(0, (row * size + x) * scale * 4, (row * size + x + Number(one)) * scale * 4);
      }
      x += Number(one);
    }
  }
  // Black is opaque.
  for (let n = 3; n < pixels.length; n += 4) pixels[n] = 255;
  return { text: decodeQr({ width: size * scale, height: size * scale, data: pixels }), size, first };
}

test('is an SVG of the payment request on its own white ground, with a quiet zone (case C063)', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  const reply = await client.get(`/api/v1/m/invoices/${invoice.id}/qr`);
  expect(reply.status).toBe(200);
  expect(reply.headers['content-type']).toMatch(/^image\/svg\+xml/);
  const svg: string = reply.body;
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  const { text, size, first } = read(svg);
  expect(text.toLowerCase()).toBe(invoice.payment_request);
  expect(svg).toContain(`<path fill="#fff" d="M0 0h${size}v${size}H0z"/>`);
  expect(first).toBe(4);
  // Nothing that runs, loads or points elsewhere.
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/<script|href|url\(|http/);
});

test('is there for an invoice that ran out, and for one that was paid (case C008)', async () => {
  const { test: client } = await app.newMerchant();
  const { invoice } = await createOrderWithInvoice(client);
  app.clock.advanceSeconds(86_400);
  expect((await client.get(`/api/v1/m/invoices/${invoice.id}/qr`)).status).toBe(200);
  await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
  expect((await client.get(`/api/v1/m/invoices/${invoice.id}/qr`)).status).toBe(200);
});
