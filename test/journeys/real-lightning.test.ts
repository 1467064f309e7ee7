import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectWallet } from '../../src/flows/connect-wallet.ts';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { addSeconds } from '../../src/kernel/clock.ts';
import type { Connector } from '../../src/lightning/connector.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { setWalletEnabled } from '../../src/store/wallets.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { hasBrowser, openBrowser, openPageServer } from '../harness/browser.ts';
import { createProduct } from '../harness/catalog.ts';
import type { Client, Reply } from '../harness/client.ts';
import { createTestDatabase } from '../harness/database.ts';
import { withWallets } from '../harness/fake-wallet.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { testWalletId } from '../harness/wallets.ts';
import { type LightningAddressServer, startLightningAddressServer } from '../rig/lightning-address-server.ts';
import { type Rig, startRig } from '../rig/network.ts';
import type { LightningNode } from '../rig/node.ts';
import { PaymentFailure } from '../rig/payment-failure.ts';

/**
 * Real Lightning: the merchant's wallet is a node behind a lightning address, and a payer's node pays the string that our
 * API answered. Nothing is looked at but what HTTP says, and at the end the books.
 */
let app: TestApp;
let rig: Rig;
let provider: LightningAddressServer;
let merchant: TestMerchant;
let client: Client;
/** Where the app listens. */
let base: string;

beforeAll(async () => {
  app = await openTestApp();
  base = await app.app.listen({ host: '127.0.0.1', port: 0 });
  rig = await startRig({ clock: app.clock });
});
beforeEach(async () => {
  provider = await startLightningAddressServer(rig.merchant, { user: 'shop' });
  merchant = await app.newMerchant();
  client = merchant.test;
  await connect(app);
});
afterEach(async () => {
  rig.merchant.hold = false;
  await provider.stop();
  await expectLedgerToHold(app);
});
afterAll(async () => {
  await rig?.stop();
  await app?.close();
});

/** What `satline wallet add` does; the simulated wallet steps aside. */
async function connect(to: TestApp): Promise<void> {
  const scope = { merchantId: merchant.id, livemode: false };
  await setWalletEnabled(to.parts.db, scope, await testWalletId(to, merchant), false, to.clock.now());
  const { wallet } = await connectWallet(to.parts, scope, { connection: provider.address }, to.parts.stopping);
  expect(wallet.settlement_visibility).toBe('proof');
}

const show = async (orderId: string) => (await client.get(`/api/v1/m/orders/${orderId}?expand=invoice`)).body;
const callbacks = () => provider.requestCount('/callback/');

/** Time passes, and somebody asks. */
async function status(invoiceId: string, seconds = 2) {
  app.clock.advanceSeconds(seconds);
  return (await client.get(`/api/v1/m/invoices/${invoiceId}/status`)).body;
}

async function kinds(orderId: string, invoiceId: string): Promise<string[]> {
  const rows = await app.rows<{ kind: string }>(
    `select kind from events where subject_id in ($1, $2)
        or subject_id in (select id from payments where order_id = $1) order by seq`,
    [orderId, invoiceId],
  );
  return rows.map(({ kind }) => kind);
}

async function paymentsOf(orderId: string) {
  return (await client.get(`/api/v1/m/payments?q[order_id_eq]=${orderId}`)).body.data;
}

/** A wallet interface as nodes have it: it knows what arrived. */
function nodeConnector(node: LightningNode): Connector {
  return {
    kind: 'lightning_address',
    probe: async () => ({ settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: false, notes: [] }),
    async createInvoice({ amountMsat, description, expirySeconds }) {
      const { bolt11, paymentHash } = node.createInvoice({ amountMsat, description, expirySeconds });
      return { bolt11, paymentHash, expiresAt: addSeconds(node.now(), expirySeconds), handle: {} };
    },
    async lookupInvoice({ paymentHash }) {
      const received = node.received(paymentHash);
      return received ? { state: 'settled', ...received } : { state: 'pending' };
    },
  };
}

async function failureOf(payment: Promise<unknown>): Promise<string> {
  const failure = await payment.then(
    () => undefined,
    (reason) => reason,
  );
  expect(failure).toBeInstanceOf(PaymentFailure);
  return failure.code;
}

test('a merchant’s server creates an order over HTTP, a payer’s node pays it, the order is paid with the proof', async () => {
  const call = async (method: string, path: string, body?: unknown): Promise<Pick<Reply, 'status' | 'body'>> => {
    const answer = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const asked = callbacks();
  const created = await call('POST', '/m/orders', orderBody({}, { generate_invoice: true }));
  expect(created.status).toBe(201);
  const { id, invoice, total_amount_sats } = created.body;
  expect(invoice.payment_request).toMatch(/^lnbcrt/);
  expect(callbacks()).toBe(asked + 1);
  expect(provider.issued.at(-1)!.askedMsat).toBe(BigInt(total_amount_sats) * 1000n);

  const { preimage } = await rig.payer.pay(invoice.payment_request);

  app.clock.advanceSeconds(2);
  const answered = await call('GET', `/m/invoices/${invoice.id}/status`);
  expect(answered.body).toMatchObject({ status: 'paid', paid: true, payment: { preimage, amount_sats: 5000 } });
  const { body: paid } = await call('GET', `/m/orders/${id}`);
  expect(paid).toMatchObject({ status: 'paid', attention: null, payment: { payment_hash: invoice.payment_hash } });
  expect(createHash('sha256').update(Buffer.from(paid.payment.preimage, 'hex')).digest('hex')).toBe(
    invoice.payment_hash,
  );
  const listed = await call('GET', `/m/payments?q[order_id_eq]=${id}`);
  expect(listed.body.data).toMatchObject([{ id: paid.payment.id, preimage, variance_percentage: '0.00' }]);
  expect(await kinds(id, invoice.id)).toEqual([
    'order.created',
    'invoice.created',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.paid',
  ]);
  // Nobody asks about it any more.
  const looks = provider.requestCount('/verify/');
  for (let minute = 0; minute < 20; minute++) await status(invoice.id, 60);
  expect(provider.requestCount('/verify/')).toBe(looks);
});

test('half as much again: paid, and what this provider tells of it is recorded', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  await rig.payer.pay(invoice.payment_request, { amountMsat: 7_500_000n });
  expect(rig.merchant.received(invoice.payment_hash)?.receivedMsat).toBe(7_500_000n);
  expect(await status(invoice.id)).toMatchObject({ paid: true });
  // A lightning address says that an invoice is settled, not with how much (LUD-21): the asked amount is what is known.
  expect(await show(id)).toMatchObject({ status: 'paid', payment: { amount_sats: 5000 } });

  // The same node, asked in a way that tells: what came is recorded, and a person is told.
  const telling = await withWallets(app, () => nodeConnector(rig.merchant));
  client = telling.client(merchant);
  const order = await createOrderWithInvoice(client);
  await rig.payer.pay(order.invoice.payment_request, { amountMsat: 7_500_000n });
  const row = (await findInvoiceForJob(app.parts.db, order.invoice.id, app.clock.now()))!;
  await lookUpInvoice(telling.parts, row, app.parts.stopping);
  expect(await show(order.id)).toMatchObject({
    status: 'paid',
    attention: 'overpaid',
    payment: { amount_sats: 7500, variance_percentage: '50.00' },
  });
  await telling.close();
});

test('one sat too little fails at the payer, and the order waits on', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  expect(await failureOf(rig.payer.pay(invoice.payment_request, { amountMsat: 4_999_000n }))).toBe('rejected');
  expect(await status(invoice.id)).toMatchObject({ status: 'pending', paid: false, held: false });
  expect(await show(id)).toMatchObject({ status: 'pending', attention: null });
  expect(await paymentsOf(id)).toEqual([]);
  await rig.payer.pay(invoice.payment_request);
  expect(await status(invoice.id)).toMatchObject({ paid: true });
});

test('paid after our end, before the wallet’s: late, with everything that belongs to a payment', async () => {
  provider.behaviour.expirySeconds = 3600;
  const { id, invoice } = await createOrderWithInvoice(client);
  expect(invoice.time_until_expiry).toBeLessThanOrEqual(900);
  expect(await status(invoice.id, 901)).toMatchObject({ status: 'expired' });
  expect(await show(id)).toMatchObject({ status: 'pending' });
  const paidAt = app.clock.now();
  await rig.payer.pay(invoice.payment_request);
  expect(await status(invoice.id, 60)).toMatchObject({ status: 'paid' });
  const order = await show(id);
  expect(order).toMatchObject({ status: 'paid', attention: 'paid_late', invoice: { status: 'paid', expired: false } });
  expect(new Date(order.invoice.paid_at).getTime()).toBeGreaterThanOrEqual(paidAt.getTime());
  expect(await kinds(id, invoice.id)).toEqual([
    'order.created',
    'invoice.created',
    'invoice.expired',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.paid',
    'order.attention',
  ]);
});

test('a cancelled order that is paid stays cancelled, and the money is in the books', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  expect((await client.delete(`/api/v1/m/orders/${id}`)).status).toBe(204);
  const { preimage } = await rig.payer.pay(invoice.payment_request);
  // Its invoice is closed, so that nobody waits in front of it: the plan's next look finds the money.
  app.clock.advanceSeconds(61);
  await until(async () => (await show(id)).attention === 'paid_after_cancel');
  expect(await show(id)).toMatchObject({ status: 'cancelled', payment: { preimage } });
  expect(await paymentsOf(id)).toHaveLength(1);
});

test('a provider that is away says nothing: not paid, not expired, and paid as soon as it is back', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  provider.behaviour.outage = 'drop';
  const { preimage } = await rig.payer.pay(invoice.payment_request);
  expect(await status(invoice.id)).toMatchObject({ status: 'pending' });
  expect(await status(invoice.id, 30)).toMatchObject({ status: 'pending' });
  provider.behaviour.outage = 'none';
  expect(await status(invoice.id, 30)).toMatchObject({ status: 'paid', payment: { preimage } });
  expect(await show(id)).toMatchObject({ status: 'paid', attention: null });
});

test('an outage over the end of an invoice: it reads expired, but nobody is told before the wallet has been asked', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  provider.behaviour.outage = 'drop';
  expect(await status(invoice.id, 910)).toMatchObject({ status: 'expired' });
  await status(invoice.id, 70);
  expect(await kinds(id, invoice.id)).toEqual(['order.created', 'invoice.created']);
  await rig.payer.pay(invoice.payment_request);
  provider.behaviour.outage = 'none';
  expect(await status(invoice.id, 70)).toMatchObject({ status: 'paid' });
  expect(await kinds(id, invoice.id)).not.toContain('invoice.expired');
  expect(await show(id)).toMatchObject({ status: 'paid', attention: 'paid_late' });
});

test('two invoices asked for at once are one, and the wallet is asked once', async () => {
  const { id } = await createOrder(client);
  const asked = callbacks();
  provider.behaviour.delayMs = 100;
  const ask = () => client.post('/api/v1/m/invoices/generate', { order_id: id });
  const [one, two] = await Promise.all([ask(), ask()]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.body.payment_request).toBe(two.body.payment_request);
  expect(callbacks()).toBe(asked + 1);
  await rig.payer.pay(one.body.payment_request);
  expect(await status(one.body.id)).toMatchObject({ paid: true });
});

test('a payment that the receiver holds is not paid, and not lost when it settles after the end', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  rig.merchant.hold = true;
  const sent = rig.payer.pay(invoice.payment_request);
  await until(() => rig.merchant.held().length === 1);
  expect(await status(invoice.id)).toMatchObject({ status: 'pending', paid: false });
  expect(await status(invoice.id, 901)).toMatchObject({ status: 'expired', paid: false });
  expect(await paymentsOf(id)).toEqual([]);
  rig.merchant.release(invoice.payment_hash);
  const { preimage } = await sent;
  expect(await status(invoice.id, 60)).toMatchObject({ status: 'paid', payment: { preimage } });
  expect(await show(id)).toMatchObject({ status: 'paid', attention: 'paid_late' });
});

test('a payment that the receiver sends back leaves the order to be paid again', async () => {
  const { id, invoice } = await createOrderWithInvoice(client);
  rig.merchant.hold = true;
  const sent = rig.payer.pay(invoice.payment_request);
  await until(() => rig.merchant.held().length === 1);
  rig.merchant.refuse();
  expect(await failureOf(sent)).toBe('rejected');
  rig.merchant.hold = false;
  expect(await status(invoice.id)).toMatchObject({ status: 'pending' });
  await rig.payer.pay(invoice.payment_request);
  expect(await status(invoice.id)).toMatchObject({ paid: true });
  expect(await show(id)).toMatchObject({ status: 'paid', attention: null });
});

test('paid while the service is down, found at the first look after the start (case C021)', async () => {
  const database = await createTestDatabase();
  const keep = { ...database, drop: async () => {} };
  const down = await openTestApp({ database: keep, clock: app.clock });
  merchant = await down.newMerchant();
  client = merchant.test;
  await connect(down);
  const { id, invoice } = await createOrderWithInvoice(client);
  await down.close();

  const { preimage } = await rig.payer.pay(invoice.payment_request);
  app.clock.advanceSeconds(30);
  const looks = provider.requestCount('/verify/');
  const up = await openTestApp({ database, clock: app.clock });
  try {
    // Nobody calls: the watcher finds it by itself.
    const paid = async () => (await up.rows('select status, attention from orders where id = $1', [id]))[0];
    await until(async () => (await paid())?.status === 'paid');
    expect(await paid()).toEqual({ status: 'paid', attention: null });
    expect(provider.requestCount('/verify/')).toBe(looks + 1);
    expect(await up.rows('select preimage from payments where order_id = $1', [id])).toEqual([{ preimage }]);
    await expectLedgerToHold(up);
  } finally {
    await up.close();
  }
});

test('a payment link is opened, its invoice paid by a payer’s node, and the shop reads that it is completed', async () => {
  const product = await createProduct(client, { name: 'A film', price_cents: 500 });
  const opened = await app.app.inject({ method: 'POST', url: `/pay/${product.slug}` });
  const checkout = new URL(String(opened.headers.location)).pathname;
  const asked = callbacks();
  const shown = (await client.get(`${checkout}/status`)).body;
  expect(shown).toMatchObject({ status: 'pending', amount_sats: 5000, amount_cents: 500 });
  expect((await client.get(checkout, { accept: 'text/html' })).body).toContain(shown.payment_request);
  expect(callbacks()).toBe(asked + 1);

  const { preimage } = await rig.payer.pay(shown.payment_request);
  app.clock.advanceSeconds(3);
  await until(async () => (await client.get(`${checkout}/status`)).body.status === 'completed');

  const session = (await client.get(`/api/v1/checkout_sessions/${checkout.split('/').at(-1)}`)).body;
  expect(session).toMatchObject({ status: 'completed', product_id: product.id });
  expect(await paymentsOf(session.order_id)).toMatchObject([{ preimage, amount_sats: 5000 }]);
  const [sale] = (await client.get(`/api/v1/m/sales?q[order_id_eq]=${session.order_id}`)).body.data;
  expect(sale).toMatchObject({ source: 'payment_link', preimage });
  const receipt = await client.get(new URL(sale.receipt_url).pathname, { accept: 'application/json' });
  expect(receipt.body).toMatchObject({ preimage, amount_sats: 5000, total_cents: 500 });
});

test.runIf(hasBrowser())(
  'a browser shows a checkout, a payer’s node pays what it shows, and it lands at the shop',
  async () => {
    const [browser, shop] = await Promise.all([openBrowser(), openPageServer()]);
    try {
      shop.show('/done', () => '<!doctype html><title>Thanks</title><h1>Thanks</h1>');
      const created = await client.post('/api/v1/checkout_sessions', {
        checkout_session: { amount_cents: 500, success_url: `${shop.url}/done?order=7#paid` },
      });
      const { id, token } = created.body;
      const page = await browser.newPage();
      await page.goto(`${base}/checkout/${token}`);
      await rig.payer.pay(await page.locator('#invoice').inputValue());
      app.clock.advanceSeconds(3);
      await page.waitForURL(`${shop.url}/done?order=7&checkout_id=${id}#paid`);
      expect((await client.get(`/api/v1/checkout_sessions/${id}`)).body.status).toBe('completed');
    } finally {
      await Promise.all([browser.close(), shop.close()]);
    }
  },
);
