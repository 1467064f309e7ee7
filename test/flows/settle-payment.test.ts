import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { type SettledFact, settlePayment } from '../../src/flows/settle-payment.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { type AppWithWallets, FakeWallet, fail, withWallets } from '../harness/fake-wallet.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

let app: TestApp;
let faked: AppWithWallets;
let wallet: FakeWallet;
let client: Client;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  wallet = new FakeWallet(app.clock);
  faked = await withWallets(app, () => wallet.connector);
  client = faked.client(await app.newMerchant());
});
afterEach(() => {
  vi.restoreAllMocks();
  return faked.close();
});
afterAll(() => app.close());

const settled = (members: Partial<SettledFact> = {}): SettledFact => ({
  state: 'settled',
  receivedMsat: undefined,
  preimage: undefined,
  settledAt: undefined,
  ...members,
});
const push = (invoiceId: string, fact: SettledFact) => settlePayment(faked.parts, invoiceId, fact);
const show = async (orderId: string) => (await client.get(`/api/v1/m/orders/${orderId}?expand=invoice`)).body;
const status = async (invoiceId: string) => (await client.get(`/api/v1/m/invoices/${invoiceId}`)).body.status;

async function look(invoiceId: string) {
  const row = (await findInvoiceForJob(app.parts.db, invoiceId, app.clock.now()))!;
  return lookUpInvoice(faked.parts, row, app.parts.stopping);
}

const paymentsOf = (orderId: string) =>
  app.rows<{ id: string; preimage: string | null; evidence: string; amount_sats: number }>(
    'select id, preimage, evidence, amount_sats from payments where order_id = $1',
    [orderId],
  );
const eventsOf = (orderId: string) =>
  app.rows<{ kind: string; id: string }>(
    `select kind, id from events where body::jsonb -> 'data' ->> 'order_id' = $1 or subject_id = $1::uuid order by seq`,
    [orderId],
  );

test('unpaid ten times, then settled without a preimage, then with one: one payment (case C018)', async () => {
  const order = await createOrderWithInvoice(client);
  const { id, payment_hash } = order.invoice;
  for (let round = 0; round < 10; round++) {
    await look(id);
    expect(await status(id)).toBe('pending');
  }
  wallet.onLookup = async () => settled();
  await look(id);
  expect(await status(id)).toBe('paid');
  expect(await paymentsOf(order.id)).toMatchObject([{ preimage: null, evidence: 'word' }]);

  const preimage = wallet.preimageOf(payment_hash);
  const told = await push(id, settled({ preimage }));
  const stored = await paymentsOf(order.id);
  expect(stored).toMatchObject([{ id: told.id, preimage, evidence: 'proof' }]);
  expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(payment_hash);
  expect((await client.get(`/api/v1/m/payments/${told.id}`)).body.preimage).toBe(preimage);
});

test('a preimage of something else is never stored, first or later', async () => {
  const order = await createOrderWithInvoice(client);
  const wrong = 'ab'.repeat(32);
  await push(order.invoice.id, settled({ preimage: wrong }));
  expect(await paymentsOf(order.id)).toMatchObject([{ preimage: null, evidence: 'word' }]);
  await push(order.invoice.id, settled({ preimage: wrong }));
  await push(order.invoice.id, settled({ preimage: 'not hex' }));
  expect(await paymentsOf(order.id)).toMatchObject([{ preimage: null, evidence: 'word' }]);
  const right = wallet.preimageOf(order.invoice.payment_hash);
  await push(order.invoice.id, settled({ preimage: right }));
  await push(order.invoice.id, settled({ preimage: wrong }));
  expect(await paymentsOf(order.id)).toMatchObject([{ preimage: right, evidence: 'proof' }]);
});

test('push and poll within the same instant, then the push three more times: one payment, each event once (case C030)', async () => {
  const order = await createOrderWithInvoice(client);
  const { id, payment_hash } = order.invoice;
  wallet.pay(payment_hash);
  const fact = settled({ preimage: wallet.preimageOf(payment_hash) });
  const told = await Promise.all([push(id, fact), look(id), push(id, fact), look(id)]);
  for (let replay = 0; replay < 3; replay++) told.push(await push(id, fact));
  expect(new Set(told.map((payment) => payment?.id)).size).toBe(1);
  expect(await paymentsOf(order.id)).toHaveLength(1);
  const events = await eventsOf(order.id);
  expect(events.map(({ kind }) => kind)).toEqual([
    'order.created',
    'invoice.created',
    'invoice.paid',
    'payment.received',
    'payment.confirmed',
    'order.paid',
  ]);
  expect(new Set(events.map((event) => event.id)).size).toBe(events.length);
});

test('five status calls after the payment answer the same (case C033)', async () => {
  const order = await createOrderWithInvoice(client);
  wallet.pay(order.invoice.payment_hash);
  await look(order.invoice.id);
  const answers: unknown[] = [];
  for (let call = 0; call < 5; call++) {
    answers.push((await client.get(`/api/v1/m/invoices/${order.invoice.id}/status`)).body);
  }
  expect(answers[0]).toMatchObject({ paid: true, status: 'paid' });
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
});

test('a wallet’s own words for an unpaid invoice never leak, and change nothing (case C023)', async () => {
  const order = await createOrderWithInvoice(client);
  for (const state of ['expired', 'unknown', 'pending'] as const) {
    wallet.onLookup = async () => ({ state });
    await look(order.invoice.id);
    expect(await status(order.invoice.id)).toBe('pending');
  }
  wallet.onLookup = async () => JSON.parse('{}');
  await look(order.invoice.id);
  expect(await status(order.invoice.id)).toBe('pending');
  expect(await paymentsOf(order.id)).toEqual([]);
});

test('an order worth one sat is not paid by nothing, and not by its end either (case C038)', async () => {
  const order = await createOrderWithInvoice(client, { currency: 'vnd', total_amount_cents: 1 });
  expect(order).toMatchObject({ total_amount_sats: 1, invoice: { amount_sats: 1 } });
  for (const state of ['pending', 'unknown', 'expired', 'cancelled'] as const) {
    wallet.onLookup = async () => ({ state });
    await look(order.invoice.id);
    app.clock.advanceSeconds(400);
  }
  expect(await show(order.id)).toMatchObject({ status: 'pending', attention: null });
  expect(await paymentsOf(order.id)).toEqual([]);
});

test('more than asked is recorded as it came and flagged; less than asked, as a wallet that kept a fee says, still pays', async () => {
  const more = await createOrderWithInvoice(client);
  await push(more.invoice.id, settled({ receivedMsat: 7_500_000n }));
  expect(await show(more.id)).toMatchObject({ status: 'paid', attention: 'overpaid' });
  expect(await paymentsOf(more.id)).toMatchObject([{ amount_sats: 7500 }]);

  const less = await createOrderWithInvoice(client);
  await push(less.invoice.id, settled({ receivedMsat: 4_980_400n }));
  expect(await show(less.id)).toMatchObject({ status: 'paid', attention: null });
  expect(await paymentsOf(less.id)).toMatchObject([{ amount_sats: 4980 }]);
});

test('money counts also while nobody knows what it is worth in its merchant’s currency', async () => {
  const merchant = await app.newMerchant();
  await app.rows(`update merchants set currency = 'jpy' where id = $1`, [merchant.id]);
  const order = await createOrderWithInvoice(faked.client(merchant), { currency: 'eur' });
  vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
    throw new AppError('rate_unavailable', 'There is no fresh price');
  });
  await push(order.invoice.id, settled());
  const values = await app.rows('select merchant_currency, merchant_value from payments where order_id = $1', [
    order.id,
  ]);
  expect(values).toEqual([{ merchant_currency: null, merchant_value: null }]);
});

test('a wallet’s own time counts, but never the future, nor a time before there was an invoice', async () => {
  const early = await createOrderWithInvoice(client);
  const settledAt = new Date(app.clock.now().getTime() + 60_000);
  app.clock.advanceSeconds(1200);
  await push(early.invoice.id, settled({ settledAt }));
  expect(await show(early.id)).toMatchObject({ status: 'paid', attention: null });
  expect((await show(early.id)).invoice.paid_at).toBe(settledAt.toISOString());

  const ahead = await createOrderWithInvoice(client);
  await push(ahead.invoice.id, settled({ settledAt: new Date(app.clock.now().getTime() + 3600_000) }));
  expect((await show(ahead.id)).invoice.paid_at).toBe(app.clock.now().toISOString());

  for (const settledAt of [new Date(app.clock.now().getTime() - 300_000), new Date(1000), new Date(Number.NaN)]) {
    const behind = await createOrderWithInvoice(client);
    app.clock.advanceSeconds(60);
    await push(behind.invoice.id, settled({ settledAt }));
    expect((await show(behind.id)).invoice.paid_at).toBe(behind.invoice.created_at);
  }
});

test('a payment counts once and reads as paid when our own clock was put back meanwhile', async () => {
  const order = await createOrderWithInvoice(client);
  app.clock.advanceSeconds(-3600);
  wallet.pay(order.invoice.payment_hash);
  await look(order.invoice.id);
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: null });
  expect((await show(order.id)).invoice.paid_at).toBe(app.clock.now().toISOString());
  expect(await paymentsOf(order.id)).toHaveLength(1);
});

test('money that comes after the end is recorded, with its time, and the order is paid late (case C024)', async () => {
  const order = await createOrderWithInvoice(client);
  app.clock.advanceSeconds(960);
  await look(order.invoice.id);
  expect(await status(order.invoice.id)).toBe('expired');
  wallet.pay(order.invoice.payment_hash);
  app.clock.advanceSeconds(60);
  await look(order.invoice.id);
  expect(await show(order.id)).toMatchObject({ status: 'paid', attention: 'paid_late', invoice: { status: 'paid' } });
  const listed = await client.get(`/api/v1/m/payments?q[order_id_eq]=${order.id}`);
  expect(listed.body.data).toHaveLength(1);
  const kinds = (await eventsOf(order.id)).map(({ kind }) => kind);
  expect(kinds).toEqual([
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

test('an invoice reads expired everywhere one second after its end, with nothing running (case C027)', async () => {
  const order = await createOrderWithInvoice(client);
  app.clock.set(new Date(new Date(order.invoice.expires_at).getTime() + 1000));
  const { id } = order.invoice;
  expect((await client.get(`/api/v1/m/invoices/${id}`)).body).toMatchObject({ status: 'expired', expired: true });
  expect((await client.get(`/api/v1/m/invoices/${id}/status`)).body).toMatchObject({
    status: 'expired',
    expired: true,
  });
  expect((await show(order.id)).invoice).toMatchObject({ status: 'expired', expired: true });
});

test('a wallet asked before the end that answers after it does not end the invoice; it is asked again at once', async () => {
  const order = await createOrderWithInvoice(client);
  const { id } = order.invoice;
  app.clock.advanceSeconds(899);
  wallet.onLookup = async ({ paymentHash }) => {
    const word = wallet.word(paymentHash);
    app.clock.advanceSeconds(2);
    // The payer was just in time.
    wallet.pay(paymentHash);
    return word;
  };
  await look(id);
  expect((await eventsOf(order.id)).map(({ kind }) => kind)).toEqual(['order.created', 'invoice.created']);
  const [row] = await app.rows<{ next_look_at: Date }>('select next_look_at from invoices where id = $1', [id]);
  expect(row!.next_look_at.getTime()).toBeLessThanOrEqual(app.clock.now().getTime());
  await look(id);
  expect(await status(id)).toBe('paid');
});

test('a look that is brought forward while another is under way is not lost', async () => {
  const order = await createOrderWithInvoice(client);
  const { id } = order.invoice;
  app.clock.advanceSeconds(300);
  const due = app.clock.now();
  wallet.onLookup = async () => {
    await app.rows('update invoices set next_look_at = $2 where id = $1', [id, due]);
    return { state: 'pending' };
  };
  await look(id);
  const [row] = await app.rows<{ next_look_at: Date }>('select next_look_at from invoices where id = $1', [id]);
  expect(row!.next_look_at).toEqual(due);
});

test('a look that is called off because the process stops leaves the invoice due', async () => {
  const order = await createOrderWithInvoice(client);
  const { id } = order.invoice;
  app.clock.advanceSeconds(300);
  wallet.onLookup = fail;
  const row = (await findInvoiceForJob(app.parts.db, id, app.clock.now()))!;
  await lookUpInvoice(faked.parts, row, AbortSignal.abort());
  expect(await findInvoiceForJob(app.parts.db, id, app.clock.now())).toMatchObject({
    next_look_at: row.next_look_at,
    last_look_at: null,
  });
});

test('cancelled, then paid: recorded, the order stays cancelled and a person is told', async () => {
  const order = await createOrderWithInvoice(client);
  expect((await client.delete(`/api/v1/m/orders/${order.id}`)).status).toBe(204);
  wallet.pay(order.invoice.payment_hash);
  await look(order.invoice.id);
  expect(await show(order.id)).toMatchObject({ status: 'cancelled', attention: 'paid_after_cancel' });
  expect(await paymentsOf(order.id)).toHaveLength(1);
  const kinds = (await eventsOf(order.id)).map(({ kind }) => kind);
  expect(kinds).not.toContain('order.paid');
  expect(kinds.at(-1)).toBe('order.attention');
});
