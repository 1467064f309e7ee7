import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expireCheckouts } from '../../../src/flows/expire-checkouts.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import { eventBodies, eventKinds } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { visitorAddress } from '../../harness/visitors.ts';
import { changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

async function createSession(members: Record<string, unknown> = { amount_cents: 2450 }) {
  const { status, body } = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: members });
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
}

const html = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const get = (url: string, headers: Record<string, string> = {}) =>
  app.app.inject({ method: 'GET', url, headers, remoteAddress: visitorAddress(url) });
const pay = (token: string) => app.app.inject({ method: 'POST', url: `/checkout/${token}/simulate_payment` });
const orders = async () => (await app.rows<{ count: number }>('select count(*) as count from orders'))[0]!.count;

describe('the page', () => {
  test('makes order and invoice once, however many look at the same time, and never for HEAD', async () => {
    const session = await createSession();
    const before = await orders();
    await app.app.inject({ method: 'HEAD', url: `/checkout/${session.token}` });
    expect(await orders()).toBe(before);
    const answers = await Promise.all(Array.from({ length: 8 }, () => get(`/checkout/${session.token}/status`)));
    expect(new Set(answers.map(({ body }) => JSON.parse(body).payment_request)).size).toBe(1);
    expect(await orders()).toBe(before + 1);
    expect(answers[0]!.json()).toMatchObject({
      status: 'pending',
      payment_request: expect.stringMatching(/^lnbcrt/),
      amount_cents: 2450,
      currency: 'usd',
    });
    expect(answers[0]!.json().time_remaining).toBeGreaterThan(800);
  });

  test('is HTML for browsers and wildcards, JSON where JSON is ranked higher', async () => {
    const { token } = await createSession();
    for (const headers of [html, { accept: '*/*' }, {}]) {
      const answer = await get(`/checkout/${token}`, headers);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(answer.body).toContain('Scan with a Lightning wallet');
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(answer.headers['x-frame-options']).toBeUndefined();
      expect(String(answer.headers.vary).split(', ')).toContain('accept');
    }
    const json = await get(`/checkout/${token}`, { accept: 'application/json' });
    expect(json.json()).toMatchObject({ object: 'checkout', status: 'pending', amount_cents: 2450 });
    expect(json.json().how_to_pay).toMatch(/Pay the Lightning invoice/);
  });

  test('of an unknown token is a 404 in both forms', async () => {
    for (const url of ['/checkout/cs_unknown', '/checkout/x%00y']) {
      expect((await get(url, html)).statusCode).toBe(404);
      const json = await get(url, { accept: 'application/json' });
      expect([json.statusCode, json.json().error.code]).toEqual([404, 'not_found']);
    }
    for (const token of ['cs_unknown', 'x%00y']) {
      for (const part of ['status', 'qr', 'events']) {
        expect([part, (await get(`/checkout/${token}/${part}`)).statusCode]).toEqual([part, 404]);
      }
      expect((await pay(token)).statusCode).toBe(404);
    }
    expect((await get('/checkout/x%0d%0ay/preimage')).headers.location).toBe('/checkout/x%0D%0Ay');
  });

  test('shows hostile names as they are, as text (case C066)', async () => {
    const shop = await app.newMerchant();
    await shop.test.patch('/api/v1/m/merchant', { merchant: { name: `Aaron's "Store" & <b>Co</b>` } });
    const product = await createProduct(shop.test, { name: '<img src=x onerror=alert(1)>', price_cents: 500 });
    const { body } = await shop.test.post('/api/v1/m/checkout_sessions', {
      checkout_session: { product_id: product.slug, customer_name: '{{7*7}}' },
    });
    const page = await get(`/checkout/${body.token}`, html);
    expect(page.body).not.toContain('<img src=x');
    expect(page.body).toContain('&lt;img src=x onerror=alert(1)>');
    expect(page.body).not.toContain('<b>Co</b>');
    expect(body.customer_name).toBe('{{7*7}}');
  });

  test('is framed only by the listed origins, and only where it asks for a frame (case C061)', async () => {
    const shop = await app.newMerchant();
    await shop.test.patch('/api/v1/m/merchant', { merchant: { allowed_origins: ['https://shop.example.com'] } });
    const sessionOf = async (mode: string) =>
      (
        await shop.test.post('/api/v1/m/checkout_sessions', {
          checkout_session: { amount_cents: 100, checkout_mode: mode },
        })
      ).body.token;
    const framed = await get(`/checkout/${await sessionOf('iframe')}?origin=https://shop.example.com`, html);
    expect(framed.headers['content-security-policy']).toContain('frame-ancestors https://shop.example.com');
    expect(framed.body).toContain('"parentOrigin":"https://shop.example.com"');
    const stranger = await get(`/checkout/${await sessionOf('iframe')}?origin=https://evil.test`, html);
    expect(stranger.body).toContain('"parentOrigin":null');
    const plain = await get(`/checkout/${await sessionOf('redirect')}?origin=https://shop.example.com`, html);
    expect(plain.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  test('may be framed by every origin that the merchant could list', async () => {
    const shop = await app.newMerchant();
    const listed = ['https://my_shop.example.com', 'HTTPS://Münze.example:8443/', 'http://[2001:db8::1]:3000'];
    const { status, body } = await shop.test.patch('/api/v1/m/merchant', { merchant: { allowed_origins: listed } });
    expect([status, body.allowed_origins]).toEqual([
      200,
      ['https://my_shop.example.com', 'https://xn--mnze-0ra.example:8443', 'http://[2001:db8::1]:3000'],
    ]);
    const checkout_session = { amount_cents: 100, checkout_mode: 'iframe' };
    const { token } = (await shop.test.post('/api/v1/m/checkout_sessions', { checkout_session })).body;
    const page = await get(`/checkout/${token}`, html);
    const named = /frame-ancestors ([^;]*)/.exec(page.headers['content-security-policy'] as string)![1]!;
    expect(named.split(' ')).toEqual(body.allowed_origins);
  });

  test('has a QR code of the invoice', async () => {
    const { token } = await createSession();
    const answer = await get(`/checkout/${token}/qr`);
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(answer.body).toMatch(/^<svg/);
  });

  test('speaks the language of the payer', async () => {
    const { token } = await createSession();
    const german = await get(`/checkout/${token}`, { ...html, 'accept-language': 'de-AT,en;q=0.5' });
    expect(german.body).toContain('lang="de"');
    const arabic = await get(`/checkout/${token}?locale=ar`, html);
    expect(arabic.body).toContain('dir="rtl"');
  });

  test('asks for what its order asks for since it was changed, as the API does, line by line', async () => {
    const session = await createSession({ amount_cents: 1000 });
    await get(`/checkout/${session.token}`);
    const read = async () => (await merchant.test.get(`/api/v1/m/checkout_sessions/${session.id}`)).body;
    const order = `/api/v1/m/orders/${(await read()).order_id}`;
    await merchant.test.patch(order, { order: { total_amount_cents: 1200 } });
    expect(await read()).toMatchObject({ status: 'pending', amount_cents: 1200 });
    const page = (await get(`/checkout/${session.token}`, html)).body.replaceAll(/<[^>]+>/g, '');
    expect(page).toContain('Adjustment$2.00Total$12.00');
    const json = JSON.parse((await get(`/checkout/${session.token}`, { accept: 'application/json' })).body);
    expect(json.items.at(-1)).toEqual({ name: 'Adjustment', qty: 1, price_cents: 200 });
  });

  test('is completed by a change of its order to nothing, like a checkout of nothing', async () => {
    const session = await createSession({ amount_cents: 1000 });
    await get(`/checkout/${session.token}`);
    const read = async () => (await merchant.test.get(`/api/v1/m/checkout_sessions/${session.id}`)).body;
    const { order_id: orderId } = await read();
    const { body: order } = await merchant.test.patch(`/api/v1/m/orders/${orderId}`, {
      order: { total_amount_cents: 0 },
    });
    expect(order).toMatchObject({ status: 'paid', attention: null, payment: { amount_sats: 0, invoice_id: null } });
    expect(await read()).toMatchObject({ status: 'completed', amount_cents: 0 });
    expect((await eventKinds(app, merchant.id, orderId)).slice(-2)).toEqual(['order.updated', 'order.paid']);
  });

  test('asks for the rest of an order that was paid in part, and names the sum that its sats are for', async () => {
    const session = await createSession({ amount_cents: 1000 });
    await get(`/checkout/${session.token}`);
    const [{ id, invoice_id }] = (await app.rows<{ id: string; invoice_id: string }>(
      'select o.id, i.id as invoice_id from checkout_sessions c join orders o on o.id = c.order_id join invoices i on i.order_id = o.id where c.id = $1',
      [session.id],
    )) as [{ id: string; invoice_id: string }];
    await merchant.test.patch(`/api/v1/m/orders/${id}`, { order: { total_amount_cents: 2500 } });
    await merchant.test.post(`/api/v1/m/invoices/${invoice_id}/simulate_payment`);
    const page = (await get(`/checkout/${session.token}`, html)).body.replaceAll(/<[^>]+>/g, '');
    expect(page).toContain('Total$25.00Already paid−$10.00Left to pay$15.00');
    expect(page).toMatch(/\$15\.00[\d,]+ sats/);

    // Once all is paid, the price stands beside all that was paid for it, on the page and in the event.
    await app.app.inject({
      method: 'POST',
      url: `/checkout/${session.token}/simulate_payment`,
      headers: { accept: 'application/json' },
      remoteAddress: visitorAddress(session.token),
    });
    const payments = await app.rows<{ sats: number; hash: string; usd: string }>(
      'select amount_sats as sats, payment_hash as hash, usd_value as usd from payments where order_id = $1 order by created_at, id',
      [id],
    );
    expect(payments).toHaveLength(2);
    const sats = payments[0]!.sats + payments[1]!.sats;
    const { body } = await get(`/checkout/${session.token}`, { accept: 'application/json' });
    expect(JSON.parse(body)).toMatchObject({ status: 'completed', amount_sats: sats });
    const [told] = (await eventBodies(app, merchant.id, 'checkout.completed')).filter(
      (event) => (event as { checkout_id?: string }).checkout_id === session.id,
    );
    expect(told).toMatchObject({ amount_sats: sats, amount_usd: '25.00', payment_hash: payments[1]!.hash });
  });

  test('goes on in the language that was chosen: with what the page sends, and on the receipt', async () => {
    const { token } = await createSession({ amount_cents: 2450 });
    const page = await get(`/checkout/${token}?locale=de`, html);
    const [, address] = /action="([^"]*simulate_payment[^"]*)"/.exec(page.body)!;
    const sent = await app.app.inject({
      method: 'POST',
      url: address!,
      headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
      remoteAddress: visitorAddress(token),
    });
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/checkout/${token}?locale=de`]);
    const paid = await get(sent.headers.location as string, html);
    expect(paid.body).toMatch(/href="[^"]*\/receipts\/[^"]*\?locale=de"/);
    // What names no language is answered with a plain address, as ever.
    const plain = { method: 'POST' as const, url: `/checkout/${token}/simulate_payment`, headers: html };
    expect((await app.app.inject(plain)).headers.location).toBe(`/checkout/${token}`);
  });

  test('says so when no wallet can take the amount, and charges nothing', async () => {
    const shop = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, shop), { enabled: false });
    const { body } = await shop.test.post('/api/v1/m/checkout_sessions', { checkout_session: { amount_cents: 100 } });
    const page = await get(`/checkout/${body.token}`, html);
    expect([page.statusCode, page.body]).toEqual([
      200,
      expect.stringContaining('This payment cannot be taken right now'),
    ]);
    expect((await get(`/checkout/${body.token}/status`)).json()).toMatchObject({ status: 'pending', payable: false });
  });
});

test('without an exchange rate the page does not blame the wallet', async () => {
  const { token } = await createSession();
  const quote = vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
    throw new AppError('rate_unavailable', 'No fresh rate');
  });
  const page = await get(`/checkout/${token}`, html);
  quote.mockRestore();
  expect(page.body).toContain('There is no exchange rate for bitcoin at the moment. Nothing was charged;');
});

describe('paying', () => {
  test('completes the session once, with its sale, its events and the way back', async () => {
    const session = await createSession({
      amount_cents: 1999,
      success_url: 'https://s.test/done?order=7&x=a%26b#tab',
      metadata: { order_ref: 'A 17' },
      customer_email: 'ada@example.com',
      customer_name: 'Ada',
    });
    const first = await pay(session.token);
    expect([first.statusCode, first.json().object]).toEqual([200, 'payment']);
    const again = await pay(session.token);
    expect(again.json().id).toBe(first.json().id);
    const status = (await get(`/checkout/${session.token}/status`)).json();
    expect(status).toMatchObject({
      status: 'completed',
      order_number: expect.stringMatching(/^ORD-/),
      redirect_url: `https://s.test/done?order=7&x=a%26b&checkout_id=${session.id}#tab`,
    });
    const read = await merchant.test.get(`/api/v1/checkout_sessions/${session.id}`);
    expect(read.body).toMatchObject({ status: 'completed', order_id: status.order_id });
    const order = await merchant.test.get(`/api/v1/m/orders/${status.order_id}`);
    expect(order.body).toMatchObject({ status: 'paid', metadata: { order_ref: 'A 17' } });
    const sales = await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${status.order_id}`);
    expect(sales.body.data).toMatchObject([{ source: 'checkout', customer_name: 'Ada', total_cents: 1999 }]);
    const completed = await eventBodies(app, merchant.id, 'checkout.completed');
    const mine = completed.filter(({ checkout_id }) => checkout_id === session.id);
    expect(mine).toMatchObject([
      {
        event: 'checkout.completed',
        livemode: false,
        payment_hash: first.json().payment_hash,
        amount_sats: first.json().amount_sats,
        amount_usd: first.json().usd_value_at_payment,
        metadata: { order_ref: 'A 17' },
      },
    ]);
    expect(mine[0]).not.toHaveProperty('data');
    const page = await get(`/checkout/${session.token}`, html);
    expect(page.body).toContain('Payment complete');
    expect(page.body).not.toContain('lnbcrt');
  });

  test('a form goes back to the page', async () => {
    const { token } = await createSession();
    const answer = await app.app.inject({
      method: 'POST',
      url: `/checkout/${token}/simulate_payment`,
      headers: { ...html, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, `/checkout/${token}`]);
  });

  test('a live checkout is not simulated', async () => {
    const { body } = await merchant.live.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } });
    expect((await pay(body.token)).statusCode).toBe(403);
  });

  test('nothing at all completes at once with a payment of 0 sats', async () => {
    const session = await createSession({ amount_cents: 0 });
    expect(session.status).toBe('completed');
    const payments = await merchant.test.get(`/api/v1/m/payments?q[order_id_eq]=${session.order_id}`);
    expect(payments.body.data).toMatchObject([{ amount_sats: 0, invoice_id: null }]);
  });
});

describe('time', () => {
  test('ends a session after 15 minutes: 410 over the API, 200 for pollers, told of once', async () => {
    const shop = await app.newMerchant();
    const { body: session } = await shop.test.post('/api/v1/m/checkout_sessions', {
      checkout_session: { amount_cents: 500, cancel_url: 'https://s.test/cart', success_url: 'https://s.test/done' },
    });
    app.clock.advanceSeconds(901);
    const gone = await shop.test.get(`/api/v1/m/checkout_sessions/${session.id}`);
    expect([gone.status, gone.body.error.code]).toEqual([410, 'gone']);
    expect((await get(`/checkout/${session.token}/status`)).json()).toEqual({ status: 'expired' });
    const page = await get(`/checkout/${session.token}`, html);
    expect([page.statusCode, page.body]).toEqual([410, expect.stringContaining('This checkout has expired')]);
    expect(page.body).not.toContain('https://s.test/done');
    expect(page.body).toContain('https://s.test/cart');
    await expireCheckouts(app.parts);
    await expireCheckouts(app.parts);
    expect(await eventBodies(app, shop.id, 'checkout.expired')).toMatchObject([
      { data: { id: session.id, status: 'expired' } },
    ]);
    const list = await shop.test.get('/api/v1/m/checkout_sessions?q[status_eq]=expired');
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([session.id]);
  });

  test('money that comes late completes the session for good', async () => {
    const shop = await app.newMerchant();
    const { body: session } = await shop.test.post('/api/v1/m/checkout_sessions', {
      checkout_session: { amount_cents: 500 },
    });
    await get(`/checkout/${session.token}/status`);
    const [order] = (await shop.test.get('/api/v1/m/orders?expand=invoice')).body.data;
    app.clock.advanceSeconds(1000);
    expect((await shop.test.get(`/api/v1/m/checkout_sessions/${session.id}`)).status).toBe(410);
    await shop.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    const read = await shop.test.get(`/api/v1/m/checkout_sessions/${session.id}`);
    expect([read.status, read.body.status]).toEqual([200, 'completed']);
    expect((await get(`/checkout/${session.token}`, html)).body).toContain('Your payment arrived late');
    app.clock.advanceSeconds(100_000);
    expect((await shop.test.get(`/api/v1/m/checkout_sessions/${session.id}`)).status).toBe(200);
    expect(await eventBodies(app, shop.id, 'checkout.completed')).toHaveLength(1);
  });
});
