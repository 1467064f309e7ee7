import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../src/kernel/errors.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createDiscount } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { books, eventBodies, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';
const patch = (client: Client, id: string, order: unknown, beside = {}) =>
  client.patch(`${path}/${id}`, { order, ...beside });
const pay = (client: Client, invoiceId: string) => client.post(`/api/v1/m/invoices/${invoiceId}/simulate_payment`);

describeRefusals(() => app, {
  method: 'PATCH',
  path: (id) => `${path}/${id}`,
  body: () => ({ order: { po_number: 'x' } }),
  permission: 'orders:write',
  resource: 'Order',
  make: async ({ test }) => (await createOrder(test)).id,
  makeLive: async ({ live }) => (await createOrder(live)).id,
});

describe('a pending order', () => {
  test('changes in every member that can change, answers whole, and says so', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrder(merchant.test, { metadata: { ref: 'A' } });
    const discount = await createDiscount(merchant.test);
    app.clock.advanceSeconds(3);
    const change = {
      total_amount_cents: 1000,
      tax_amount_cents: 80,
      discount_amount_cents: 20,
      currency: 'EUR',
      items: [{ name: 'Tea', price_cents: 1000, qty: 1, sku: 'T' }],
      customer_email: 'a@b.co',
      po_number: 'PO 9',
      channel_id: 'channel',
      discount_id: discount.id,
      wallet_id: await testWalletId(app, merchant),
      metadata: { ref: 'B', note: 'x' },
    };
    const reply = await patch(merchant.test, order.id, change);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      ...order,
      ...change,
      currency: 'eur',
      // 10.00 eur at 86,000 eur a bitcoin
      total_amount_sats: 11_628,
      btc_fiat_price_at_creation: '86000.00',
      updated_at: app.clock.now().toISOString(),
      merchant: expect.objectContaining({ object: 'merchant', id: merchant.id }),
    });
    const { merchant: _, ...plain } = reply.body;
    expect((await merchant.test.get(`${path}/${order.id}`)).body).toEqual(reply.body);
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'order.updated']);
    expect((await eventBodies(app, merchant.id, 'order.updated'))[0].data).toEqual(plain);
  });

  test('keeps what is left out and replaces metadata and items whole (case C125)', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { metadata: { ref: 'A', note: 'x' }, customer_email: 'a@b.co' });
    const metadata = async (change: unknown) => (await patch(client, order.id, change)).body.metadata;
    expect(await metadata({ metadata: { note: 'y' } })).toEqual({ note: 'y' });
    expect(await metadata({ metadata: { note: null } })).toEqual({ note: null });
    expect(await metadata({ items: [{ name: 'Tea', price_cents: 1, qty: 3 }] })).toEqual({ note: null });
    expect(await metadata({ metadata: null })).toEqual({ note: null });
    expect(await metadata({ metadata: {} })).toEqual({});
    const { body } = await client.get(`${path}/${order.id}`);
    expect(body).toMatchObject({
      total_amount_cents: 500,
      customer_email: 'a@b.co',
      items: [{ name: 'Tea', price_cents: 1, qty: 3 }],
    });
  });

  test('clears text with null', async () => {
    const { test: client } = await app.newMerchant();
    const text = { customer_email: 'a@b.co', channel_id: 'c', discount_id: (await createDiscount(client)).id };
    const order = await createOrder(client, text);
    expect((await patch(client, order.id, {})).body).toMatchObject(text);
    const cleared = { customer_email: null, channel_id: null, discount_id: null };
    expect((await patch(client, order.id, cleared)).body).toMatchObject(cleared);
  });

  test('takes status pending for what it is', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client);
    expect((await patch(client, order.id, { status: 'pending' })).body.status).toBe('pending');
  });

  test.each([{ total_amount_cents: 600 }, { currency: 'eur' }, { tender_type: 'cash' }])(
    'closes its open invoice when what is owed changes: %j',
    async (change) => {
      const { test: client } = await app.newMerchant();
      const order = await createOrderWithInvoice(client);
      expect((await patch(client, order.id, change)).status).toBe(200);
      const { body: invoice } = await client.get(`/api/v1/m/invoices/${order.invoice.id}`);
      expect(invoice).toMatchObject({ status: 'expired', expired: true, time_until_expiry: 0 });
      expect(invoice.expires_at).toBe(order.invoice.expires_at);
    },
  );

  test.each([
    { total_amount_cents: 500, currency: 'USD', tender_type: 'bitcoin' },
    { metadata: { a: 1 }, po_number: 'x', customer_email: 'a@b.co', items: [{ name: 'T', price_cents: 1, qty: 1 }] },
  ])('keeps its open invoice when nothing of that changes: %j', async (change) => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    expect((await patch(client, order.id, change)).status).toBe(200);
    const { body: generated } = await client.post('/api/v1/m/invoices/generate', { order_id: order.id });
    expect(generated.id).toBe(order.invoice.id);
  });

  test('closes its open invoice when another wallet shall take the payment', async () => {
    const merchant = await app.newMerchant();
    const second = await addWallet(app, merchant);
    const order = await createOrderWithInvoice(merchant.test);
    expect((await patch(merchant.test, order.id, { wallet_id: second })).body.wallet_id).toBe(second);
    const { body: generated } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
    expect(generated.id).not.toBe(order.invoice.id);
    expect(generated.order.wallet_id).toBe(second);
  });

  test('knows no wallet of others or of the other mode', async () => {
    const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
    const order = await createOrder(merchant.test);
    const live = await createOrder(merchant.live);
    const before = await books(app);
    for (const [client, id, wallet_id] of [
      [merchant.test, order.id, await testWalletId(app, other)],
      [merchant.live, live.id, await testWalletId(app, merchant)],
      [merchant.test, order.id, 'nonsense'],
      [merchant.test, order.id, ''],
    ] as const) {
      expectError(await patch(client, id, { wallet_id }), 'not_found', { message: 'Wallet not found' });
    }
    expect(await books(app)).toEqual(before);
  });

  test('needs a rate only when what is owed changes', async () => {
    const { live } = await app.newMerchant();
    const order = await createOrder(live);
    vi.spyOn(app.parts.rates.live, 'quote').mockImplementation(() => {
      throw new AppError('rate_unavailable', 'No fresh rate');
    });
    const before = await books(app);
    expectError(await patch(live, order.id, { total_amount_cents: 1 }), 'rate_unavailable');
    expect(await books(app)).toEqual(before);
    expect((await patch(live, order.id, { po_number: 'x' })).status).toBe(200);
    const cash = await patch(live, order.id, { tender_type: 'cash' }, { mark_as_paid: true });
    expect(cash.body).toMatchObject({ status: 'paid', total_amount_sats: 0, btc_fiat_price_at_creation: null });
  });
});

describe('cash', () => {
  test('a cash order becomes paid, with a payment and its events', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrder(merchant.test, { tender_type: 'cash' });
    app.clock.advanceSeconds(60);
    const at = app.clock.now().toISOString();
    const { status, body } = await patch(merchant.test, order.id, { status: 'paid' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...order,
      status: 'paid',
      cash_paid_at: at,
      updated_at: at,
      merchant: expect.objectContaining({ object: 'merchant' }),
      payment: expect.objectContaining({ object: 'payment', order_id: order.id, invoice_id: null, preimage: null }),
    });
    expect(await eventKinds(app, merchant.id)).toEqual([
      'order.created',
      'order.updated',
      'payment.confirmed',
      'order.paid',
    ]);
    const { merchant: _, payment: __, ...plain } = body;
    expect((await eventBodies(app, merchant.id, 'order.updated'))[0].data).toEqual(plain);
  });

  test('mark_as_paid beside the order says the same', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { tender_type: 'cash' });
    expect((await patch(client, order.id, {}, { mark_as_paid: true })).body.status).toBe('paid');
  });

  test('a bitcoin order that becomes cash in the same call is paid, and its invoice closes but stays watched', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    const { body } = await patch(merchant.test, order.id, { tender_type: 'cash', status: 'paid' });
    expect(body).toMatchObject({ status: 'paid', tender_type: 'cash', wallet_id: null });
    // Money that comes for the old invoice is a second payment.
    await pay(merchant.test, order.invoice.id);
    const { body: shown } = await merchant.test.get(`${path}/${order.id}`);
    expect(shown).toMatchObject({ status: 'paid', attention: 'overpaid', tender_type: 'cash' });
    const { body: payments } = await merchant.test.get(`/api/v1/m/payments?q[order_id_eq]=${order.id}`);
    expect(payments.meta.total_count).toBe(2);
  });

  test('a bitcoin order cannot be said to be paid', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    const before = await books(app);
    expectInvalid(await patch(client, order.id, { status: 'paid' }), /only be set to paid on a cash order/);
    expectInvalid(await patch(client, order.id, {}, { mark_as_paid: true }), /only be set to paid on a cash order/);
    const cash = await createOrder(client, { tender_type: 'cash' });
    expectInvalid(await patch(client, cash.id, { tender_type: 'bitcoin', status: 'paid' }), /only be set to paid/);
    expect((await books(app)).payments).toEqual(before.payments);
  });

  test('an older invoice that runs out later moves nothing (case C028)', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    await patch(merchant.test, order.id, { tender_type: 'cash', status: 'paid' });
    app.clock.advanceSeconds(3600);
    await merchant.test.get(`/api/v1/m/invoices/${order.invoice.id}/status`);
    expect((await merchant.test.get(`${path}/${order.id}`)).body).toMatchObject({ status: 'paid', attention: null });
    expect(await eventKinds(app, merchant.id, order.id)).toEqual(['order.created', 'order.updated', 'order.paid']);
  });

  test('is taken for what is still due when part was paid in bitcoin', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    await patch(merchant.test, order.id, { total_amount_cents: 800 });
    await pay(merchant.test, order.invoice.id);
    expect((await merchant.test.get(`${path}/${order.id}`)).body.status).toBe('pending');
    const { body } = await patch(merchant.test, order.id, { tender_type: 'cash', status: 'paid' });
    expect(body.status).toBe('paid');
    const rows = await app.rows('select kind, amount_cents from payments where order_id = $1 order by kind', [
      order.id,
    ]);
    expect(rows).toEqual([
      { kind: 'cash', amount_cents: 300 },
      { kind: 'lightning', amount_cents: 500 },
    ]);
  });

  test('is never taken when nothing is due any more', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    await patch(merchant.test, order.id, { total_amount_cents: 800 });
    await pay(merchant.test, order.invoice.id);
    const { body } = await patch(merchant.test, order.id, {
      total_amount_cents: 400,
      tender_type: 'cash',
      status: 'paid',
    });
    expect(body).toMatchObject({ status: 'paid', attention: 'overpaid' });
    expect(body).not.toHaveProperty('cash_paid_at');
    const rows = await app.rows('select kind from payments where order_id = $1', [order.id]);
    expect(rows).toEqual([{ kind: 'lightning' }]);
  });
});

describe('an order that was partly paid', () => {
  async function partlyPaid(client: Client) {
    const order = await createOrderWithInvoice(client);
    await patch(client, order.id, { total_amount_cents: 800 });
    await pay(client, order.invoice.id);
    return order;
  }

  const saleOf = async (client: Client, orderId: string) =>
    (await client.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`)).body.data[0];

  test('is sold for everything that came', async () => {
    const { test: client } = await app.newMerchant();
    const order = await partlyPaid(client);
    const { body: rest } = await client.post('/api/v1/m/invoices/generate', { order_id: order.id });
    await pay(client, rest.id);
    const sale = await saleOf(client, order.id);
    expect(sale).toMatchObject({
      total_cents: 800,
      amount_sats: 8000,
      settlement_amount_sats: 8000,
      fiat_value_at_payment: '8.00',
      usd_value_at_payment: '8.00',
      fiat_variance_cents: 0,
      variance_percentage: '0.00',
      payment_hash: rest.payment_hash,
    });
    const lines: { total_amount_sats: number }[] = sale.items;
    expect(lines.reduce((all, line) => all + line.total_amount_sats, 0)).toBe(8000);
    const receipt = await app.app.inject({
      url: new URL(sale.receipt_url).pathname,
      headers: { accept: 'text/html' },
    });
    expect(receipt.body).toMatch(/8[,.  ]?000/);
  });

  test('is sold for the sats that came when the rest is cash', async () => {
    const { test: client } = await app.newMerchant();
    const order = await partlyPaid(client);
    await patch(client, order.id, { tender_type: 'cash', status: 'paid' });
    const sale = await saleOf(client, order.id);
    expect(sale).toMatchObject({
      payment_method: 'cash',
      amount_sats: 5000,
      settlement_amount_sats: 5000,
      fiat_value_at_payment: '5.00',
    });
    const lines: { settlement_amount_sats: number }[] = sale.items;
    expect(lines.reduce((all, line) => all + line.settlement_amount_sats, 0)).toBe(5000);
  });

  test('is paid once its total is lowered to what came', async () => {
    const merchant = await app.newMerchant();
    const order = await partlyPaid(merchant.test);
    const { body } = await patch(merchant.test, order.id, { total_amount_cents: 500 });
    expect(body).toMatchObject({ status: 'paid', attention: null });
    expect((await eventKinds(app, merchant.id, order.id)).slice(-2)).toEqual(['order.updated', 'order.paid']);
  });

  test('is overpaid once its total is lowered below that', async () => {
    const merchant = await app.newMerchant();
    const order = await partlyPaid(merchant.test);
    const { body } = await patch(merchant.test, order.id, { total_amount_cents: 499 });
    expect(body).toMatchObject({ status: 'paid', attention: 'overpaid' });
    // Every event of one change says how the order was committed.
    const [updated, paid, attention] = [
      (await eventBodies(app, merchant.id, 'order.updated')).at(-1),
      ...(await eventBodies(app, merchant.id, 'order.paid')),
      ...(await eventBodies(app, merchant.id, 'order.attention')),
    ];
    expect(updated.data).toMatchObject({ status: 'paid', attention: 'overpaid', updated_at: body.updated_at });
    expect([paid.data, attention.data]).toEqual([updated.data, updated.data]);
  });

  test('keeps its currency', async () => {
    const { test: client } = await app.newMerchant();
    const order = await partlyPaid(client);
    const before = await books(app);
    expectError(await patch(client, order.id, { currency: 'eur' }), 'conflict', { message: /currency cannot change/ });
    expect(await books(app)).toEqual(before);
    expect((await patch(client, order.id, { currency: 'USD' })).status).toBe(200);
  });
});

describe('a paid order', () => {
  test('changes in metadata and po_number only', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test);
    await pay(merchant.test, order.invoice.id);
    const { body } = await patch(merchant.test, order.id, { metadata: { a: 1 }, po_number: 'PO' });
    expect(body).toMatchObject({
      status: 'paid',
      metadata: { a: 1 },
      po_number: 'PO',
      payment: { order_id: order.id },
    });
    const before = await books(app);
    for (const change of [
      { total_amount_cents: 600 },
      { total_amount_cents: 500 },
      { tax_amount_cents: 1 },
      { discount_amount_cents: 1 },
      { currency: 'eur' },
      { items: [{ name: 'T', price_cents: 1, qty: 1 }] },
      { tender_type: 'cash' },
      { customer_email: 'a@b.co' },
      { customer_email: null },
      { channel_id: 'c' },
      { discount_id: 'd' },
      { wallet_id: order.wallet_id },
      { status: 'pending' },
      { metadata: { b: 1 }, total_amount_cents: 1 },
    ]) {
      const reply = await patch(merchant.test, order.id, change);
      expect([change, reply.status]).toEqual([change, 409]);
      expectError(reply, 'conflict', { message: /^The order is paid/ });
    }
    expectInvalid(await patch(merchant.test, order.id, { status: 'refunded' }), /^status must be one of/);
    expect(await books(app)).toEqual(before);
  });

  test('takes null for "not given" where null clears nothing', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    await pay(client, order.invoice.id);
    const nulls = { tax_amount_cents: null, discount_amount_cents: null, currency: null, tender_type: null };
    expect((await patch(client, order.id, { ...nulls, wallet_id: null, metadata: { a: 1 } })).status).toBe(200);
  });

  test('is shipped and delivered, and stays paid', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    const before = await books(app);
    expectError(await patch(client, order.id, { status: 'shipped' }), 'conflict', { message: /^Only a paid order/ });
    expect(await books(app)).toEqual(before);
    await pay(client, order.invoice.id);
    for (const status of ['shipped', 'delivered']) {
      expect((await patch(client, order.id, { status })).body.status).toBe('paid');
    }
  });

  test('can be said to be paid again without a second payment', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { tender_type: 'cash' });
    const first = (await patch(client, order.id, { status: 'paid' })).body;
    app.clock.advanceSeconds(1);
    const again = (await patch(client, order.id, { status: 'paid' })).body;
    expect(again.payment).toEqual(first.payment);
    expect(again.cash_paid_at).toBe(first.cash_paid_at);
  });
});

test('a cancelled order changes in nothing', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrder(client, { tender_type: 'cash' });
  await client.delete(`${path}/${order.id}`);
  const before = await books(app);
  for (const change of [{ metadata: { a: 1 } }, { status: 'paid' }, { total_amount_cents: 1 }, {}]) {
    expectError(await patch(client, order.id, change), 'conflict', { message: /^The order is cancelled/ });
  }
  expect(await books(app)).toEqual(before);
});

test('bodies that are wrong change nothing', async () => {
  const { test: client } = await app.newMerchant();
  const order = await createOrderWithInvoice(client);
  const before = await books(app);
  const refused = async (change: unknown, ...sentences: (string | RegExp)[]) =>
    expectInvalid(await patch(client, order.id, change), ...sentences);
  expectInvalid(await client.patch(`${path}/${order.id}`), 'order is required');
  expectInvalid(await client.patch(`${path}/${order.id}`, { total_amount_cents: 1 }), 'order is required');
  await refused(null, 'order must be an object');
  await refused([], 'order must be an object');
  await refused({ total_amount_cents: null }, 'total_amount_cents must be a whole number');
  await refused({ total_amount_cents: 19.99 }, 'total_amount_cents must be a whole number');
  await refused({ items: null }, 'items must be a list');
  await refused({ items: [] }, 'items must not be empty');
  await refused({ items: [{ name: 'T', qty: 1 }] }, 'items[0].price_cents is required');
  await refused({ customer_email: 'nobody' }, 'customer_email must be an e-mail address');
  await refused({ currency: 'xyz' }, 'currency must be a known currency code');
  await refused({ status: 'refunded' }, /^status must be one of paid, pending, shipped, delivered$/);
  await refused({ status: 'cancelled' }, /^status must be one of/);
  await refused({ metadata: 'text' }, 'metadata must be an object');
  const most = Number.MAX_SAFE_INTEGER;
  await refused({ items: [{ name: 'T', price_cents: most, qty: 2 }] }, /^items\[0\]/);
  await refused({ total_amount_cents: most }, /^total_amount_cents is more than can be paid in bitcoin/);
  expect(await books(app)).toEqual(before);
});

test('a wallet too small now still leaves the order as it is', async () => {
  const merchant = await app.newMerchant();
  const order = await createOrder(merchant.test);
  await changeWallet(app, await testWalletId(app, merchant), { max_payment_sats: 10 });
  expect((await patch(merchant.test, order.id, { total_amount_cents: 9000 })).status).toBe(200);
});

test('order and payment in one answer, whatever the tender', async () => {
  const { test: client } = await app.newMerchant();
  const { body: cash } = await client.post(path, orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
  const { body } = await patch(client, cash.id, { po_number: 'x' });
  expect(body.payment).toMatchObject({ order_id: cash.id, amount_sats: null });
  expect(body.merchant.object).toBe('merchant');
});
