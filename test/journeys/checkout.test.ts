import { afterAll, beforeAll, expect, test } from 'vitest';
import { settlePayment } from '../../src/flows/settle-payment.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createProduct } from '../harness/catalog.ts';
import { listen } from '../harness/event-stream.ts';
import { eventBodies } from '../harness/expect.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';

/** Over a real port, as a customer's browser, a shop's server and an agent would go. */
let app: TestApp;
let base: string;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp();
  base = await listen(app);
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const html = { accept: 'text/html' };
/** Pages live at PAY_URL; the test's port is another. */
const here = (url: string) => `${base}${new URL(url).pathname}`;

test('a shop’s server makes a session, the customer pays on the page and comes back, the server reads completed', async () => {
  const created = await fetch(`${base}/api/v1/checkout_sessions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${merchant.test.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      checkout_session: { amount_cents: 1999, success_url: 'https://shop.test/done?order=7', metadata: { order: '7' } },
    }),
  });
  const session = (await created.json()) as { id: string; checkout_url: string };
  const page = await fetch(here(session.checkout_url), { headers: html });
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('lnbcrt')]);

  const paid = await fetch(`${here(session.checkout_url)}/simulate_payment`, {
    method: 'POST',
    headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
    redirect: 'manual',
  });
  expect(paid.status).toBe(303);
  const after = await fetch(new URL(paid.headers.get('location')!, base), { headers: html });
  const text = await after.text();
  const back = `https://shop.test/done?order=7&amp;checkout_id=${session.id}`;
  expect(text).toContain(back);
  expect(text).not.toContain('lnbcrt');

  const { body } = await merchant.test.get(`/api/v1/checkout_sessions/${session.id}`);
  expect(body).toMatchObject({ status: 'completed', metadata: { order: '7' } });
  expect(await eventBodies(app, merchant.id, 'checkout.completed')).toMatchObject([
    { event: 'checkout.completed', checkout_id: session.id, metadata: { order: '7' }, livemode: false },
  ]);
});

test('an agent reads a link, opens it, pays what the checkout says and gets its access token', async () => {
  const product = await createProduct(merchant.test, {
    name: 'A film',
    price_cents: 300,
    resource_type: 'digital_download',
    access_duration_seconds: 3600,
  });
  const json = { accept: 'application/json' };
  const link = here(product.payment_link_url);
  const described = await (await fetch(`${link}.json`)).json();
  expect(described).toMatchObject({ object: 'payment_link', payable: true, amount_cents: 300 });
  const opened = await fetch(link, { method: 'POST', headers: json, redirect: 'manual' });
  const checkout = here(opened.headers.get('location')!);
  const asked = (await (await fetch(checkout, { headers: json })).json()) as Record<string, string>;
  expect(asked).toMatchObject({
    object: 'checkout',
    status: 'pending',
    how_to_pay: expect.stringContaining('invoice'),
  });
  await fetch(`${checkout}/simulate_payment`, { method: 'POST', headers: json });
  const status = (await (await fetch(here(asked.status_url!) as string)).json()) as Record<string, unknown>;
  expect(status).toMatchObject({
    status: 'completed',
    items: [{ product_id: product.id, access_token: status.access_token }],
    access_duration_seconds: 3600,
    order_number: expect.stringMatching(/^ORD-/),
  });
  const verified = await merchant.test.post('/api/v1/m/access/verify', { access_token: status.access_token });
  expect(verified.body).toMatchObject({ valid: true, product_id: product.id, order_id: status.order_id });
  // For a day and no longer.
  app.clock.advanceSeconds(24 * 3600 + 1);
  const later = (await (await fetch(`${checkout}/status`)).json()) as Record<string, unknown>;
  expect(later).toMatchObject({ status: 'completed', items: [], order_id: status.order_id });
  expect(later).not.toHaveProperty('access_token');
});

test('a buyer whose payment is noticed a day late gets the access that was bought, for its whole time', async () => {
  const product = await createProduct(merchant.test, {
    resource_type: 'digital_download',
    access_duration_seconds: 3600,
  });
  const made = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { product_id: product.id } });
  const checkout = here(made.body.checkout_url);
  const status = async () => (await (await fetch(`${checkout}/status`)).json()) as Record<string, unknown>;
  await status();
  const [invoice] = await app.rows<{ id: string }>(
    'select i.id from invoices i join checkout_sessions s on s.order_id = i.order_id where s.id = $1',
    [made.body.id],
  );
  const settledAt = app.clock.now();
  app.clock.advanceSeconds(26 * 3600);
  await settlePayment(app.parts, invoice!.id, {
    state: 'settled',
    receivedMsat: undefined,
    preimage: undefined,
    settledAt,
  });
  const { access_token } = await status();
  const verified = await merchant.test.post('/api/v1/m/access/verify', { access_token });
  expect(verified.body).toMatchObject({ valid: true, remaining_seconds: 3600 });
  app.clock.advanceSeconds(24 * 3600 + 1);
  expect(await status()).toMatchObject({ status: 'completed', items: [] });
});
