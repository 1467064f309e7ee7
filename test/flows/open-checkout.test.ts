import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expireCheckouts } from '../../src/flows/expire-checkouts.ts';
import { explainOrder } from '../../src/flows/explain-order.ts';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { withCheckoutId } from '../../src/flows/show-checkout.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { eventKinds, expectError } from '../harness/expect.ts';
import { type AppWithWallets, FakeWallet, fail, gate, withWallets } from '../harness/fake-wallet.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { until } from '../harness/until.ts';

/** What the wallet is asked on behalf of a page, and what the page makes of its answers. */
let app: TestApp;
let merchant: TestMerchant;
let wallet: FakeWallet;
let shop: AppWithWallets;
let client: Client;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  merchant = await app.newMerchant();
  wallet = new FakeWallet(app.clock);
  shop = await withWallets(app, () => wallet.connector);
  client = shop.client(merchant);
});
afterEach(() => shop.close());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

async function newSession(members: Record<string, unknown> = {}, by = client) {
  const path = by === client ? '/api/v1/checkout_sessions' : '/api/v1/pub/checkout_sessions';
  return (await by.post(path, { checkout_session: { amount_cents: 500, ...members } })).body;
}
const status = async (token: string) => (await client.get(`/checkout/${token}/status`)).body;
const page = (token: string) => client.get(`/checkout/${token}`, { accept: 'text/html' });
const read = async (id: string) => client.get(`/api/v1/checkout_sessions/${id}`);
const invoices = () =>
  app.rows<{ id: string; payment_hash: string }>(
    'select id, payment_hash from invoices where merchant_id = $1 order by created_at, id',
    [merchant.id],
  );
const orders = () => app.rows<{ id: string }>('select id from orders where merchant_id = $1', [merchant.id]);

/** The watcher asks about an invoice now. */
async function look(invoiceId: string): Promise<void> {
  const row = (await findInvoiceForJob(app.parts.db, invoiceId, app.clock.now()))!;
  await lookUpInvoice(shop.parts, row, app.parts.stopping);
}

describe('opening', () => {
  test('by 30 pages, pollers and pictures at the same instant asks the wallet once', async () => {
    const asking = gate((request: Parameters<typeof wallet.make>[0]) => wallet.make(request));
    wallet.onCreate = asking.call;
    const { token } = await newSession();
    const all = Promise.all(
      Array.from({ length: 10 }, () => [status(token), page(token), client.get(`/checkout/${token}/qr`)]).flat(),
    );
    await until(() => wallet.created.length > 0);
    asking.open();
    const answers = await all;
    const requests = answers.flatMap((one) => ('payment_request' in one ? [one.payment_request] : []));
    expect(new Set(requests).size).toBe(1);
    expect(answers.filter((one) => 'status' in one && one.status === 200)).toHaveLength(20);
    expect([wallet.created.length, (await orders()).length, (await invoices()).length]).toEqual([1, 1, 1]);
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'invoice.created']);
  });

  test('in two processes at once makes one order and one invoice', async () => {
    const second = await withWallets(app, () => wallet.connector);
    const other = second.client(merchant);
    for (let round = 0; round < 5; round++) {
      const { token } = await newSession();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 ? other : client).get(`/checkout/${token}/status`)),
      );
      expect(new Set(answers.map(({ body }) => body.payment_request)).size).toBe(1);
    }
    expect([wallet.created.length, (await orders()).length, (await invoices()).length]).toEqual([5, 5, 5]);
    await second.close();
  });

  test('and cancelling at once ends in one of the two, never in both', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, token } = await newSession();
      const [cancelled] = await Promise.all([client.post(`/api/v1/m/checkout_sessions/${id}/cancel`), status(token)]);
      if (cancelled.status === 409)
        expect((await client.post(`/api/v1/m/checkout_sessions/${id}/cancel`)).status).toBe(200);
      else expect(cancelled.status).toBe(200);
      expect((await read(id)).body.status).toBe('cancelled');
      expect(await status(token)).toEqual({ status: 'cancelled' });
    }
    expect(
      await app.rows(`select id from orders where merchant_id = $1 and status <> 'cancelled'`, [merchant.id]),
    ).toEqual([]);
  });
});

describe('the invoice on the page', () => {
  test('stays the same to the end of the session, also in its last minute', async () => {
    const { token } = await newSession();
    app.clock.advanceSeconds(1);
    const first = await status(token);
    for (const seconds of [400, 440, 50]) {
      app.clock.advanceSeconds(seconds);
      expect(await status(token)).toMatchObject({ status: 'pending', payment_request: first.payment_request });
    }
    expect((await status(token)).time_remaining).toBe(9);
    app.clock.advanceSeconds(10);
    expect(await status(token)).toEqual({ status: 'expired' });
    expect(wallet.created).toHaveLength(1);
  });

  test('of a wallet whose invoices live a minute is renewed at half of that, and the clock never outlives it', async () => {
    wallet.expirySeconds = 60;
    const { token } = await newSession();
    const first = await status(token);
    expect(first.time_remaining).toBeLessThanOrEqual(60);
    app.clock.advanceSeconds(25);
    expect((await status(token)).payment_request).toBe(first.payment_request);
    app.clock.advanceSeconds(10);
    const second = await status(token);
    expect(second.payment_request).not.toBe(first.payment_request);
    expect(wallet.created).toHaveLength(2);
    // Whoever scanned the first one has still paid.
    const [old] = await invoices();
    wallet.pay(old!.payment_hash);
    await look(old!.id);
    expect((await status(token)).status).toBe('completed');
  });

  test('that is on its way is shown as that, and no second one is offered', async () => {
    const { id, token } = await newSession();
    await status(token);
    const [invoice] = await invoices();
    wallet.onLookup = async () => ({ state: 'held' });
    await look(invoice!.id);
    expect(await status(token)).toMatchObject({ status: 'pending', held: true, payment_request: null });
    app.clock.advanceSeconds(1000);
    expect(await status(token)).toMatchObject({ status: 'pending', held: true });
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual([]);
    wallet.onLookup = async ({ paymentHash }) => wallet.word(paymentHash);
    wallet.pay(invoice!.payment_hash);
    await look(invoice!.id);
    expect((await status(token)).status).toBe('completed');
    expect(wallet.created).toHaveLength(1);
  });

  test('follows the order: another amount is another invoice, cash is not paid here', async () => {
    const { id, token } = await newSession();
    const first = await status(token);
    const { order_id } = (await read(id)).body;
    await client.patch(`/api/v1/m/orders/${order_id}`, { order: { total_amount_cents: 700 } });
    const second = await status(token);
    expect(second).toMatchObject({ amount_cents: 700, amount_sats: 7000 });
    expect(second.payment_request).not.toBe(first.payment_request);
    await client.patch(`/api/v1/m/orders/${order_id}`, { order: { tender_type: 'cash' } });
    expect(await status(token)).toMatchObject({
      status: 'pending',
      held: false,
      payable: false,
      payment_request: null,
    });
    await client.patch(`/api/v1/m/orders/${order_id}`, { order: { status: 'paid' } });
    expect((await status(token)).status).toBe('completed');
    expect((await read(id)).body.status).toBe('completed');
  });
});

describe('a wallet that fails', () => {
  test('leaves the page friendly, holds no place, and is asked again', async () => {
    wallet.onCreate = fail;
    const { token } = await newSession({}, shopPublic());
    for (let n = 0; n < 2; n++) {
      expect(await status(token)).toMatchObject({ status: 'pending', payable: false, payment_request: null });
      app.clock.advanceSeconds(5);
    }
    expect((await page(token)).status).toBe(200);
    expectError(await client.get(`/checkout/${token}/qr`), 'conflict');
    wallet.onCreate = (request) => wallet.make(request);
    app.clock.advanceSeconds(5);
    expect((await status(token)).payment_request).toMatch(/^lnbcrt/);
    expect(await orders()).toHaveLength(1);
  });

  test('pages that strangers open take 30 invoices a minute; the merchant’s own are not counted', async () => {
    const tokens: string[] = [];
    for (let n = 0; n < 31; n++) {
      if (n === 15) app.clock.advanceSeconds(60);
      tokens.push((await newSession({}, shopPublic())).token);
    }
    app.clock.advanceSeconds(60);
    for (const token of tokens.slice(0, 30)) expect((await status(token)).payment_request).toMatch(/^lnbcrt/);
    const last = tokens[30]!;
    expect(await status(last)).toMatchObject({ status: 'pending', payable: false });
    expectError(await client.get(`/checkout/${last}`, { accept: 'application/json' }), 'rate_limited');
    const html = await page(last);
    expect([html.status, Number(html.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    expect((await status((await newSession()).token)).payment_request).toMatch(/^lnbcrt/);
    app.clock.advanceSeconds(61);
    expect((await status(last)).payment_request).toMatch(/^lnbcrt/);
  });
});

describe('the end of a session', () => {
  test('is told when its invoice cannot be paid any more and the wallet said so, once, by however many processes', async () => {
    const { id, token } = await newSession();
    app.clock.advanceSeconds(600);
    await status(token);
    const [invoice] = await invoices();
    app.clock.advanceSeconds(301);
    await look(invoice!.id);
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual([]);
    app.clock.advanceSeconds(600);
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual([]);
    await look(invoice!.id);
    await Promise.all(Array.from({ length: 4 }, () => expireCheckouts(shop.parts)));
    expect(await eventKinds(app, merchant.id, id)).toEqual(['checkout.expired']);
    // Money that was on its way all the while completes it after all.
    wallet.pay(invoice!.payment_hash);
    await look(invoice!.id);
    await look(invoice!.id);
    expect(await eventKinds(app, merchant.id, id)).toEqual(['checkout.expired', 'checkout.completed']);
    expect((await read(id)).status).toBe(200);
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual(['checkout.expired', 'checkout.completed']);
  });

  test('of one that nobody looked at is told without a wallet', async () => {
    const { id } = await newSession();
    app.clock.advanceSeconds(901);
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual(['checkout.expired']);
    expect(wallet.created).toHaveLength(0);
  });

  test('does not come while the wallet cannot be asked', async () => {
    const { id, token } = await newSession();
    await status(token);
    app.clock.advanceSeconds(1000);
    wallet.onLookup = fail;
    await look((await invoices())[0]!.id);
    await expireCheckouts(shop.parts);
    expect(await eventKinds(app, merchant.id, id)).toEqual([]);
  });
});

test.each([
  ['https://s.test/done', 'https://s.test/done?checkout_id=ID'],
  ['https://s.test/done?', 'https://s.test/done?checkout_id=ID'],
  ['https://s.test/done?order=7&x=a%26b#tab', 'https://s.test/done?order=7&x=a%26b&checkout_id=ID#tab'],
  ['https://s.test/?checkout_id=old&a=1', 'https://s.test/?a=1&checkout_id=ID'],
  ['https://s.test/?checkout_ids=1&a&&b=%20+', 'https://s.test/?checkout_ids=1&a&&b=%20+&checkout_id=ID'],
  ['https://s.test/#/route?x=1', 'https://s.test/?checkout_id=ID#/route?x=1'],
])('the way back from %s (case C057)', (url, expected) => {
  expect(withCheckoutId(url, 'ID')).toBe(expected);
});

test('the story of an order tells of the session it came from', async () => {
  const { id, token } = await newSession();
  app.clock.advanceSeconds(5);
  await status(token);
  await client.post(`/api/v1/m/checkout_sessions/${id}/cancel`);
  const [order] = await orders();
  const story = (await explainOrder(app.parts.db, order!.id, app.clock.now()))!.moments.map(({ what }) => what);
  expect(story[0]).toBe(`the merchant made checkout session ${id}, open until ${(await read(id)).body.expires_at}`);
  expect(story).toContain(`checkout session ${id} was cancelled`);
});

test.each([
  [1, 'once'],
  [2, '2 times'],
])('the story of an order counts %i look at its wallet as %s', async (count, text) => {
  const { token } = await newSession();
  await status(token);
  const [order] = await orders();
  await app.rows('update invoices set look_count = $1, last_look_at = created_at where order_id = $2', [
    count,
    order!.id,
  ]);
  const story = (await explainOrder(app.parts.db, order!.id, app.clock.now()))!.moments.map(({ what }) => what);
  expect(story.join('\n')).toContain(`, ${text} so far`);
});

/** The publishable key, on the app with the fake wallet. */
function shopPublic(): Client {
  return shop.client({ ...merchant, test: merchant.publishable });
}
