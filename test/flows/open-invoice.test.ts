import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { InvoiceRequest } from '../../src/lightning/connector.ts';
import { insertInvoiceRequest } from '../../src/store/invoice-requests.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { type AppWithWallets, FakeWallet, fail, gate, withWallets } from '../harness/fake-wallet.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { addWallet } from '../harness/wallets.ts';

let app: TestApp;
let faked: AppWithWallets;
let wallet: FakeWallet;
let merchant: TestMerchant;
let client: Client;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  wallet = new FakeWallet(app.clock);
  faked = await withWallets(app, () => wallet.connector);
  merchant = await app.newMerchant();
  client = faked.client(merchant);
});
afterEach(() => faked.close());
afterAll(() => app.close());

const generate = (orderId: string, headers = {}) =>
  client.post('/api/v1/m/invoices/generate', { order_id: orderId }, headers);
const show = async (orderId: string) => (await client.get(`/api/v1/m/orders/${orderId}?expand=invoice`)).body;
const patch = (orderId: string, order: Record<string, unknown>) =>
  client.patch(`/api/v1/m/orders/${orderId}`, { order });
const invoiceStatus = async (id: string) => (await client.get(`/api/v1/m/invoices/${id}`)).body.status;
const states = async (orderId: string) =>
  (
    await app.rows<{ state: string }>(
      'select state from invoice_requests where order_id = $1 order by created_at, id',
      [orderId],
    )
  ).map(({ state }) => state);

/** Calls that arrive together: one asks the wallet, which does its part only when all others wait. */
async function together(count: number, orderId: string, rest: FakeWallet['onCreate']) {
  const slow = gate(rest);
  wallet.onCreate = slow.call;
  const replies = Promise.all(Array.from({ length: count }, () => generate(orderId)));
  await until(() => faked.waiting() === count - 1);
  slow.open();
  return replies;
}

/** The wallet is asked about an invoice. */
async function look(invoiceId: string) {
  const row = (await findInvoiceForJob(app.parts.db, invoiceId, app.clock.now()))!;
  return lookUpInvoice(faked.parts, row, app.parts.stopping);
}

/** The payer pays and the wallet is asked. */
function pay(invoice: { id: string; payment_hash: string }) {
  wallet.pay(invoice.payment_hash);
  return look(invoice.id);
}

async function eventKinds(subjectIds: string[]): Promise<string[]> {
  const rows = await app.rows<{ kind: string }>(
    'select kind from events where subject_id = any($1::uuid[]) order by seq',
    [subjectIds],
  );
  return rows.map(({ kind }) => kind);
}

test('twenty parallel calls get one invoice, and the wallet is asked once (case C029)', async () => {
  const { id } = await createOrder(client);
  const replies = await together(20, id, (request) => wallet.make(request));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(new Set(replies.map(({ body }) => body.payment_request)).size).toBe(1);
  expect(wallet.created).toHaveLength(1);
  expect(await states(id)).toEqual(['issued']);
});

test('parallel calls share an invoice that is too short-lived to be handed out a second time', async () => {
  const { id } = await createOrder(client);
  wallet.expirySeconds = 50;
  const replies = await together(10, id, (request) => wallet.make(request));
  expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
  expect(wallet.created).toHaveLength(1);
  // C025: it ends with the BOLT11 string, never later.
  expect(replies[0]!.body.time_until_expiry).toBeLessThanOrEqual(50);
  expect((await generate(id)).body.id).not.toBe(replies[0]!.body.id);
});

test('an open invoice is answered again while it has a minute left', async () => {
  const { id } = await createOrder(client);
  const first = await generate(id);
  app.clock.advanceSeconds(840);
  expect((await generate(id)).body.id).toBe(first.body.id);
  app.clock.advanceSeconds(1);
  const second = await generate(id);
  expect(second.status).toBe(201);
  expect(second.body.id).not.toBe(first.body.id);
  expect(await invoiceStatus(first.body.id)).toBe('expired');
});

test('a dead asker is given up when its lease is out by the database’s clock, whatever our clock says', async () => {
  const { id } = await createOrder(client);
  const dead = newId();
  await app.parts.db.transaction((tx) =>
    insertInvoiceRequest(tx, { id: dead, orderId: id, orderVersion: 1, amountSats: 5000 }, 20, app.clock.now()),
  );
  // A process whose clock runs a day ahead steals nothing.
  app.clock.advanceSeconds(24 * 3600);
  let answered = false;
  const reply = generate(id).finally(() => {
    answered = true;
  });
  await sleep(500);
  expect(answered).toBe(false);
  expect(wallet.created).toHaveLength(0);

  // Twenty seconds later.
  await app.rows(`update invoice_requests set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [
    dead,
  ]);
  expect((await reply).status).toBe(201);
  expect(await states(id)).toEqual(['abandoned', 'issued']);
});

test('an asker that comes back after its lease is out shows nothing; the invoice of the other stands', async () => {
  const { id } = await createOrder(client);
  const slow = gate((request: InvoiceRequest) => wallet.make(request));
  wallet.onCreate = slow.call;
  const first = generate(id);
  await until(() => wallet.created.length === 1);
  await app.rows(
    `update invoice_requests set lease_until = clock_timestamp() - interval '1 second' where order_id = $1`,
    [id],
  );
  wallet.onCreate = (request) => wallet.make(request);
  const second = await generate(id);
  expect(second.status).toBe(201);
  slow.open();
  expect((await first).status).toBe(409);
  expect((await show(id)).invoice.id).toBe(second.body.id);
  const rows = await app.rows('select id from invoices where order_id = $1', [id]);
  expect(rows).toHaveLength(1);
});

test('those who wait share the asker’s error, and the next call asks anew', async () => {
  const { id } = await createOrder(client);
  const replies = await together(6, id, fail);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([503]));
  expect(new Set(replies.map(({ body }) => body.error.message)).size).toBe(1);
  expect(replies[0]!.body.error).toMatchObject({ code: 'wallet_unavailable' });
  expect(replies.every(({ headers }) => Number(headers['retry-after']) > 0)).toBe(true);
  expect(wallet.created).toHaveLength(1);
  // C131: the order is as it was, and the retry succeeds.
  expect(await show(id)).toMatchObject({ status: 'pending' });
  expect((await show(id)).invoice).toBeUndefined();
  wallet.onCreate = (request) => wallet.make(request);
  expect((await generate(id)).status).toBe(201);
});

test('an order whose total changes meanwhile drops the invoice: 409 for the asker, the new amount for those who wait', async () => {
  const { id } = await createOrder(client);
  const slow = gate((request: InvoiceRequest) => wallet.make(request));
  wallet.onCreate = slow.call;
  const asker = generate(id);
  await until(() => wallet.created.length === 1);
  const waiter = generate(id);
  await until(() => faked.waiting() === 1);
  expect((await patch(id, { total_amount_cents: 900 })).status).toBe(200);
  slow.open();
  expect((await asker).status).toBe(409);
  expect((await waiter).body.amount_sats).toBe(9000);
  expect(await states(id)).toEqual(['abandoned', 'issued']);
  expect(await app.rows('select id from invoices where order_id = $1', [id])).toHaveLength(1);
});

test('an order that is cancelled meanwhile gets no invoice', async () => {
  const { id } = await createOrder(client);
  const slow = gate((request: InvoiceRequest) => wallet.make(request));
  wallet.onCreate = slow.call;
  const asker = generate(id);
  await until(() => wallet.created.length === 1);
  expect((await client.delete(`/api/v1/m/orders/${id}`)).status).toBe(204);
  slow.open();
  expect((await asker).status).toBe(409);
  expect(await app.rows('select id from invoices where order_id = $1', [id])).toEqual([]);
});

test('a wallet that hands out a payment hash twice is refused: 503, the order stays as it is', async () => {
  const preimage = randomBytes(32);
  wallet.onCreate = (request) => wallet.make(request, preimage);
  await createOrderWithInvoice(client);

  const { id } = await createOrder(client);
  const before = await show(id);
  const reply = await generate(id);
  expect(reply.status).toBe(503);
  expect(reply.body.error.code).toBe('wallet_unavailable');
  expect(await show(id)).toEqual(before);
  expect(await states(id)).toEqual(['failed']);

  // The same while an order is made: it is not kept, and its key is free again at once.
  const key = { 'idempotency-key': 'used-hash' };
  const body = orderBody({ po_number: 'used-hash' }, { generate_invoice: true });
  const refused = await client.post('/api/v1/m/orders', body, key);
  expect(refused.status).toBe(503);
  expect(await app.rows(`select id from orders where po_number = 'used-hash'`)).toEqual([]);
  wallet.onCreate = (request) => wallet.make(request);
  expect((await client.post('/api/v1/m/orders', body, key)).status).toBe(201);
  expect(await app.rows(`select id from orders where po_number = 'used-hash'`)).toHaveLength(1);
});

test('a wallet that hands out a payment hash twice is at fault, and the next one serves', async () => {
  const honest = new FakeWallet(app.clock);
  const second = await addWallet(app, merchant);
  const both = await withWallets(app, ({ id }) => (id === second ? honest : wallet).connector);
  const preimage = randomBytes(32);
  wallet.onCreate = (request) => wallet.make(request, preimage);
  const first = (await createOrderWithInvoice(both.client(merchant))).wallet_id;
  expect(first).not.toBe(second);
  expect((await createOrderWithInvoice(both.client(merchant))).wallet_id).toBe(second);
  expect((await client.get(`/api/v1/m/wallets/${first}`)).body).toMatchObject({
    consecutive_failures: 1,
    last_error: expect.stringContaining('given before'),
  });
  await both.close();
});

test('a changed total supersedes; what the old invoice still brings counts, and the rest is asked for', async () => {
  const order = await createOrderWithInvoice(client);
  const { id } = order;
  await patch(id, { total_amount_cents: 800 });
  expect(await invoiceStatus(order.invoice.id)).toBe('expired');
  const whole = (await generate(id)).body;
  expect(whole.amount_sats).toBe(8000);

  // The payer had scanned the first code.
  expect(await pay(order.invoice)).toMatchObject({ amount_cents: 500 });
  expect(await show(id)).toMatchObject({ status: 'pending', attention: null });
  // Nobody may pay 8.00 where 3.00 are due.
  expect(await invoiceStatus(whole.id)).toBe('expired');
  const rest = (await generate(id)).body;
  expect(rest.amount_sats).toBe(3000);
  await pay(rest);
  expect(await show(id)).toMatchObject({ status: 'paid', attention: null });

  // The code in between is paid after all: recorded, and a person is told.
  await pay(whole);
  expect(await show(id)).toMatchObject({ status: 'paid', attention: 'overpaid' });
  const payments = await app.rows<{ amount_cents: number }>(
    'select amount_cents from payments where order_id = $1 order by created_at, id',
    [id],
  );
  expect(payments.map(({ amount_cents }) => amount_cents)).toEqual([500, 300, 800]);
  expect((await eventKinds([id])).filter((kind) => kind === 'order.paid')).toHaveLength(1);
  expect((await eventKinds([id])).at(-1)).toBe('order.attention');
});

test('a part payment that arrives while the rest is being asked for makes that request void', async () => {
  const order = await createOrderWithInvoice(client);
  await patch(order.id, { total_amount_cents: 800 });
  const slow = gate((request: InvoiceRequest) => wallet.make(request));
  wallet.onCreate = slow.call;
  const asker = generate(order.id);
  await until(() => wallet.created.length === 2);
  await pay(order.invoice);
  slow.open();
  expect((await asker).status).toBe(409);
  expect((await generate(order.id)).body.amount_sats).toBe(3000);
});

test('an order whose total falls to what was paid already is paid', async () => {
  const order = await createOrderWithInvoice(client);
  await patch(order.id, { total_amount_cents: 800 });
  await pay(order.invoice);
  expect(await show(order.id)).toMatchObject({ status: 'pending' });
  expect((await patch(order.id, { total_amount_cents: 500 })).body.status).toBe('paid');
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: null });
  expect((await eventKinds([order.id])).filter((kind) => kind === 'order.paid')).toHaveLength(1);
});

test('cash taken for the rest of a part-paid order is the rest', async () => {
  const order = await createOrderWithInvoice(client);
  await patch(order.id, { total_amount_cents: 800 });
  await pay(order.invoice);
  const reply = await client.patch(`/api/v1/m/orders/${order.id}`, {
    order: { tender_type: 'cash' },
    mark_as_paid: true,
  });
  expect(reply.body.status).toBe('paid');
  const payments = await app.rows<{ kind: string; amount_cents: number }>(
    'select kind, amount_cents from payments where order_id = $1 order by created_at, id',
    [order.id],
  );
  expect(payments).toEqual([
    { kind: 'lightning', amount_cents: 500 },
    { kind: 'cash', amount_cents: 300 },
  ]);
});

test('a cash order stays paid when its old invoice runs out, and says so when that is paid too (case C028)', async () => {
  const order = await createOrderWithInvoice(client);
  await client.patch(`/api/v1/m/orders/${order.id}`, { order: { tender_type: 'cash' }, mark_as_paid: true });
  app.clock.advanceSeconds(1000);
  await look(order.invoice.id);
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: null });
  await pay(order.invoice);
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'overpaid' });
  expect(await eventKinds([order.invoice.id])).toEqual(['invoice.created', 'invoice.expired', 'invoice.paid']);
});

test('a held payment keeps a second invoice away', async () => {
  const order = await createOrderWithInvoice(client);
  wallet.onLookup = async () => ({ state: 'held' });
  app.clock.advanceSeconds(880);
  await look(order.invoice.id);
  expect((await generate(order.id)).status).toBe(409);
  app.clock.advanceSeconds(100);
  await look(order.invoice.id);
  // Neither paid nor, for those who are told of it, expired.
  expect((await client.get(`/api/v1/m/invoices/${order.invoice.id}/status`)).body).toMatchObject({
    paid: false,
    held: true,
  });
  expect(await eventKinds([order.invoice.id])).toEqual(['invoice.created']);
  expect((await generate(order.id)).status).toBe(409);
  // A wallet that cannot be asked has not said that it came to nothing.
  wallet.onLookup = fail;
  await look(order.invoice.id);
  expect((await generate(order.id)).status).toBe(409);
  // It fails: the payer may try again.
  wallet.onLookup = async () => ({ state: 'pending' });
  await look(order.invoice.id);
  expect((await generate(order.id)).status).toBe(201);
});

test('an invoice that the wallet cancelled is not shown again, and is still watched', async () => {
  const order = await createOrderWithInvoice(client);
  wallet.onLookup = async () => ({ state: 'cancelled' });
  await look(order.invoice.id);
  expect(await invoiceStatus(order.invoice.id)).toBe('expired');
  const next = (await generate(order.id)).body;
  expect(next.id).not.toBe(order.invoice.id);
  // Told again, it leaves the one that took its place alone.
  await look(order.invoice.id);
  expect((await generate(order.id)).body.id).toBe(next.id);
  expect(await eventKinds([order.invoice.id])).toEqual(['invoice.created']);
  wallet.onLookup = async ({ paymentHash }) => wallet.word(paymentHash);
  await pay(order.invoice);
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: null });
});
