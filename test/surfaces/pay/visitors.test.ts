import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';

let app: TestApp;
let merchant: TestMerchant;
let paths: { link: string; checkout: string };
const crowded = '203.0.113.9';

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  const { slug } = await createProduct(merchant.test);
  const session = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } });
  paths = { link: `/pay/${slug}`, checkout: `/checkout/${session.body.token}` };
  const { visitorPace } = app.parts;
  const { book } = visitorPace;
  // As it is after many pages; its own test is next to it, and real time would give places back between two lines here.
  visitorPace.book = (visit, address) =>
    address === crowded ? { waitMillis: 5100, isRefused: true } : book(visit, address);
});
afterAll(() => app.close());

function visit(url: string, headers: Record<string, string> = { accept: 'text/html' }, method: 'GET' | 'POST' = 'GET') {
  return app.app.inject({ method, url, headers, remoteAddress: crowded });
}

test('an address that opened too many pages gets one that says so, in its language', async () => {
  for (const url of [paths.link, paths.checkout, '/receipts/rcp_x', '/subscriptions/sub_x']) {
    const answer = await visit(url, { accept: 'text/html', 'accept-language': 'de-AT', 'accept-encoding': 'br' });
    expect(answer.statusCode).toBe(429);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '6',
      'cache-control': 'no-store',
    });
    expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(answer.body).toContain('Einen Moment bitte');
    // To the very same address, whatever it is.
    expect(answer.body).toContain('<a class="button accent" href>');
    const nonce = /style-src 'nonce-([^']+)'/.exec(`${answer.headers['content-security-policy']}`)![1]!;
    expect(answer.body).toContain(`<style nonce="${nonce}">`);
  }
});

test('who sent a form tries again on the page that it was on', async () => {
  for (const url of ['/subscriptions/sub_x/pay', '/subscriptions/sub_x/cancel', `${paths.checkout}/simulate_payment`]) {
    const answer = await visit(`${url}?locale=de`, undefined, 'POST');
    expect(answer.statusCode).toBe(429);
    const [, again] = /<a class="button accent" href="([^"]+)">/.exec(answer.body)!;
    const page = new URL(again!, `http://here${url}`);
    expect(page.pathname).toBe(url.slice(0, url.lastIndexOf('/') + 1));
    const shown = await app.app.inject({ url: page.pathname + page.search, headers: { accept: 'text/html' } });
    expect(shown.statusCode).toBe(url.startsWith('/checkout') ? 200 : 404);
    expect(shown.body).toContain('<html lang="de"');
  }
  const own = await visit(paths.link, undefined, 'POST');
  expect(own.body).toContain('<a class="button accent" href>');
});

test('programs hear it as an error', async () => {
  const refused = await Promise.all([
    visit(paths.link, { accept: 'application/json' }),
    visit(`${paths.checkout}/status`),
    visit(`${paths.checkout}/qr`),
    visit(`${paths.checkout}/events`),
    visit(`${paths.checkout}/simulate_payment`, { accept: 'application/json' }, 'POST'),
    visit(paths.link, { accept: 'application/json' }, 'POST'),
  ]);
  for (const answer of refused) {
    expect([answer.statusCode, answer.json().error.code]).toEqual([429, 'rate_limited']);
    expect(answer.headers['retry-after']).toBe('6');
  }
});

test('nobody else is hindered: other visitors, and the merchant’s calls from the very same address', async () => {
  expect((await app.app.inject({ url: paths.link, remoteAddress: '203.0.113.10' })).statusCode).toBe(200);
  expect((await merchant.test.from(crowded).get('/api/v1/m/orders')).status).toBe(200);
  expect((await visit('/js/pay.js')).statusCode).toBe(200);
});

test('a visitor who waits for a wallet keeps nobody waiting', async () => {
  const { createInvoice } = app.parts.wallets;
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => (release = resolve));
  app.parts.wallets.createInvoice = async (...terms) => {
    await gate;
    return createInvoice.call(app.parts.wallets, ...terms);
  };
  const from = (url: string) => app.app.inject({ url, remoteAddress: '203.0.113.11' });
  const slow = from(paths.checkout);
  expect((await from(paths.link)).statusCode).toBe(200);
  release();
  expect((await slow).body).toContain('id="invoice"');
  app.parts.wallets.createInvoice = createInvoice;
});
