import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../../src/kernel/errors.ts';
import { decodeBolt11 } from '../../../src/lightning/bolt11.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createDiscount, createProduct } from '../../harness/catalog.ts';
import { a32ByteHex, anId, books, eventBodies, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, orderBody } from '../../harness/orders.ts';
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
const now = '2027-03-01T10:00:00.000Z';

describeRefusals(() => app, {
  method: 'POST',
  path: () => path,
  body: () => orderBody(),
  permission: 'orders:write',
  success: 201,
});

describe('a plain order', () => {
  test('answers every member and records order.created', async () => {
    const merchant = await app.newMerchant();
    const reply = await merchant.test.post(path, orderBody({ total_amount_cents: 1234 }));
    expect(reply.status).toBe(201);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.body).toEqual({
      object: 'order',
      livemode: false,
      id: anId(),
      order_number: 'ORD-000001',
      status: 'pending',
      attention: null,
      total_amount_cents: 1234,
      tax_amount_cents: 0,
      discount_amount_cents: 0,
      total_amount_sats: 12_340,
      merchant_id: merchant.id,
      channel_id: null,
      discount_id: null,
      wallet_id: null,
      tender_type: 'bitcoin',
      items: [{ name: 'Coffee', price_cents: 500, qty: 1 }],
      customer_email: null,
      po_number: 'ORD-000001',
      btc_usd_price_at_creation: '100000.00',
      btc_usd_rate_source: 'fixed',
      currency: 'usd',
      btc_fiat_price_at_creation: '100000.00',
      metadata: {},
      created_at: now,
      updated_at: now,
    });
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created']);
    expect(await eventBodies(app, merchant.id, 'order.created')).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9A-Za-z]{24}$/),
        event: 'order.created',
        created_at: now,
        livemode: false,
        data: reply.body,
      },
    ]);
    const shown = await merchant.test.get(`${path}/${reply.body.id}`);
    expect(shown.body).toEqual({ ...reply.body, merchant: expect.anything() });
  });

  test('keeps everything that can be given', async () => {
    const merchant = await app.newMerchant();
    const walletId = await testWalletId(app, merchant);
    const product = await createProduct(merchant.test, { currency: 'eur' });
    const discount = await createDiscount(merchant.test);
    const given = {
      total_amount_cents: 2500,
      tax_amount_cents: 200,
      discount_amount_cents: 100,
      items: [
        { name: 'Café №5', price_cents: 1300, qty: 2, description: 'Ωμέγα ☂ 数', sku: 'C-5', product_id: product.id },
        { name: 'Tip', price_cents: 0, qty: 1 },
      ],
      customer_email: 'A+b@Exämple.de',
      po_number: 'PO 7',
      channel_id: 'channel',
      discount_id: discount.id,
      wallet_id: walletId,
      tender_type: 'bitcoin',
      metadata: { ref: 'A', nested: { list: [1, null, { deep: true }] }, 'strange "key" \u2028': '<b>&</b> ☕' },
    };
    const order = await createOrder(merchant.test, { ...given, currency: 'EUR' });
    expect(order).toMatchObject({ ...given, currency: 'eur' });
    expect(order.items).toEqual(given.items);
    expect(order.metadata).toEqual(given.metadata);
    const shown = await merchant.test.get(`${path}/${order.id}`);
    expect(shown.body).toMatchObject({ ...given, currency: 'eur' });
    expect(shown.body.metadata).toEqual(given.metadata);
  });

  test('ignores members nobody declared, the service’s own among them', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrder(merchant.test, {
      id: '01900000-0000-7000-8000-000000000000',
      livemode: true,
      merchant_id: '01900000-0000-7000-8000-000000000000',
      created_at: '2020-01-01T00:00:00Z',
      status: 'paid',
      order_number: 'MINE',
      total_amount_sats: 1,
      items: [{ name: 'Tea', price_cents: 1, qty: 1, colour: 'green' }],
      unknown: { deep: [1] },
    });
    expect(order).toMatchObject({ livemode: false, merchant_id: merchant.id, status: 'pending', created_at: now });
    expect(order.id).not.toBe('01900000-0000-7000-8000-000000000000');
    expect(order.order_number).toBe('ORD-000001');
    expect(order.items).toEqual([{ name: 'Tea', price_cents: 1, qty: 1 }]);
    expect(order).not.toHaveProperty('unknown');
  });

  test('takes null for "not given"', async () => {
    const { test: client } = await app.newMerchant();
    const empty = {
      tax_amount_cents: null,
      discount_amount_cents: null,
      currency: null,
      customer_email: null,
      po_number: null,
      tender_type: null,
      channel_id: null,
      discount_id: null,
      wallet_id: null,
      metadata: null,
      items: [{ name: 'Tea', price_cents: 1, qty: 1, description: null, sku: null, product_id: null }],
    };
    const reply = await client.post(path, orderBody(empty, { generate_invoice: null, mark_as_paid: null }));
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ currency: 'usd', tender_type: 'bitcoin', metadata: {}, customer_email: null });
    expect(reply.body.po_number).toBe(reply.body.order_number);
    expect(reply.body.items).toEqual([{ name: 'Tea', price_cents: 1, qty: 1 }]);
  });

  test('numbers orders by merchant and mode', async () => {
    const [one, two] = [await app.newMerchant(), await app.newMerchant()];
    const numbers = [];
    for (const client of [one.test, one.test, one.live, two.test, one.test]) {
      numbers.push((await createOrder(client)).order_number);
    }
    expect(numbers).toEqual(['ORD-000001', 'ORD-000002', 'ORD-000001', 'ORD-000001', 'ORD-000003']);
  });

  test('takes its mode and rate from the key', async () => {
    const { live } = await app.newMerchant();
    const order = await createOrder(live);
    expect(order).toMatchObject({ livemode: true, total_amount_sats: 10_000, btc_usd_price_at_creation: '50000.00' });
  });

  test('lets the total stand whatever the items come to', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, {
      total_amount_cents: 1,
      items: [{ name: 'A', price_cents: 999, qty: 9 }],
    });
    expect(order.total_amount_cents).toBe(1);
  });
});

describe('currencies', () => {
  test.each([
    // usd, two decimals
    ['usd', 100, 1000],
    ['USD', 1, 10],
    // ¥159 a dollar: ¥500 is 3.14465 dollars
    ['jpy', 500, 3145],
    // 0.309 dinars a dollar, three decimals: 1.234 dinars
    ['kwd', 1234, 3994],
    ['EUR', 0, 0],
    // 0.0001 of a unit is less than a sat
    ['irr', 1, 1],
  ])('%s %i comes to %i sats', async (currency, cents, sats) => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { currency, total_amount_cents: cents });
    expect(order).toMatchObject({
      currency: currency.toLowerCase(),
      total_amount_cents: cents,
      total_amount_sats: sats,
    });
  });

  test.each(['xyz', 'us', 'usdt', '', ' usd', 'xau', 'u\u017Fd'])('refuses the currency %j', async (currency) => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.post(path, orderBody({ currency })), 'currency must be a known currency code');
  });

  test('falls back to the merchant’s own', async () => {
    const merchant = await app.newMerchant();
    await app.rows(`update merchants set currency = 'gbp' where id = $1`, [merchant.id]);
    expect((await createOrder(merchant.test, { currency: undefined })).currency).toBe('gbp');
  });

  test('adds the merchant’s conversion fee before rounding up', async () => {
    const merchant = await app.newMerchant();
    await app.rows(`update merchants set conversion_fee_percent = 1.5 where id = $1`, [merchant.id]);
    // 1.5 % of 999 cents is 14.985, half up 15.
    expect((await createOrder(merchant.test, { total_amount_cents: 999 })).total_amount_sats).toBe(10_140);
  });

  test('answers 503 without a rate and keeps nothing, but cash goes on', async () => {
    const merchant = await app.newMerchant();
    vi.spyOn(app.parts.rates.live, 'quote').mockImplementation(() => {
      throw new AppError('rate_unavailable', 'No fresh rate', { retryAfterSeconds: 30 });
    });
    const before = await books(app);
    const reply = await merchant.live.post(path, orderBody());
    expectError(reply, 'rate_unavailable', { message: 'No fresh rate' });
    expect(reply.headers['retry-after']).toBe('30');
    expect(await books(app)).toEqual(before);

    const cash = await merchant.live.post(path, orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
    expect(cash.status).toBe(201);
    expect(cash.body).toMatchObject({
      status: 'paid',
      total_amount_sats: 0,
      btc_usd_price_at_creation: null,
      btc_fiat_price_at_creation: null,
      btc_usd_rate_source: null,
    });
  });
});

describe('with generate_invoice', () => {
  test('answers the order with its invoice and records both', async () => {
    const merchant = await app.newMerchant();
    const walletId = await testWalletId(app, merchant);
    const { status, body: order } = await merchant.test.post(path, orderBody({}, { generate_invoice: true }));
    expect(status).toBe(201);
    expect(order).toMatchObject({ status: 'pending', total_amount_sats: 5000, wallet_id: walletId });
    expect(order.invoice).toEqual({
      object: 'invoice',
      livemode: false,
      id: anId(),
      payment_method: 'lightning',
      amount_sats: 5000,
      status: 'pending',
      expires_at: '2027-03-01T10:15:00.000Z',
      paid_at: null,
      order_id: order.id,
      created_at: now,
      updated_at: now,
      payment_request: expect.stringMatching(/^lnbcrt50u1[02-9ac-hj-np-z]+$/),
      payment_hash: a32ByteHex(),
      expired: false,
      time_until_expiry: 900,
      metadata: { provider: 'simulated', mode: 'test' },
    });
    const decoded = decodeBolt11(order.invoice.payment_request);
    expect(decoded).toMatchObject({
      network: 'regtest',
      amountMsat: 5_000_000n,
      paymentHash: order.invoice.payment_hash,
      description: 'Order ORD-000001',
    });
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'invoice.created']);
    const [created] = await eventBodies(app, merchant.id, 'invoice.created');
    expect(created.data).toEqual(order.invoice);
    const { invoice, ...plain } = order;
    const shown = await merchant.test.get(`${path}/${order.id}?expand=invoice`);
    expect(shown.body).toEqual({ ...plain, invoice, merchant: expect.anything() });
  });

  test('is refused for nothing to pay and for cash', async () => {
    const { test: client } = await app.newMerchant();
    const before = await books(app);
    const invoiced = (order: Record<string, unknown>) =>
      client.post(path, orderBody(order, { generate_invoice: true }));
    expectInvalid(await invoiced({ total_amount_cents: 0 }), /0 gets no invoice/);
    expectInvalid(await invoiced({ tender_type: 'cash' }), /generate_invoice needs tender_type bitcoin/);
    expect(await books(app)).toEqual(before);
  });

  test('names the amount and the largest limit when every wallet is too small, before any is asked', async () => {
    const merchant = await app.newMerchant();
    const first = await testWalletId(app, merchant);
    await changeWallet(app, first, { max_payment_sats: 4000 });
    await addWallet(app, merchant, { max_sats: 4999, max_payment_sats: 9000 });
    await addWallet(app, merchant, { position: 3, enabled: false });
    const before = await books(app);
    expectError(
      await merchant.test.post(path, orderBody({}, { generate_invoice: true })),
      'amount_exceeds_wallet_limits',
      {
        message: /5000 sats.*4999 sats/,
      },
    );
    expect(await books(app)).toEqual(before);
    // Without an invoice the order is fine.
    expect((await merchant.test.post(path, orderBody())).status).toBe(201);
  });

  test('counts the conversion fee against the limit', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { max_payment_sats: 5000 });
    const invoiced = () => merchant.test.post(path, orderBody({}, { generate_invoice: true }));
    expect((await invoiced()).status).toBe(201);
    await app.rows('update merchants set conversion_fee_percent = 1 where id = $1', [merchant.id]);
    expectError(await invoiced(), 'amount_exceeds_wallet_limits', { message: /5050 sats/ });
  });

  test('goes on to the next wallet that can take the amount', async () => {
    const merchant = await app.newMerchant();
    const first = await testWalletId(app, merchant);
    const second = await addWallet(app, merchant);
    await changeWallet(app, first, { max_payment_sats: 4000 });
    const invoiced = async () => (await merchant.test.post(path, orderBody({}, { generate_invoice: true }))).body;
    expect((await invoiced()).wallet_id).toBe(second);
    await changeWallet(app, first, { max_payment_sats: null, settings: { fail: true } });
    expect((await invoiced()).wallet_id).toBe(second);
    await changeWallet(app, second, { position: 0, settlement_visibility: 'none' });
    await changeWallet(app, first, { settings: {} });
    expect((await invoiced()).wallet_id).toBe(first);
  });

  test('says when the amount is too small, and when there is no wallet at all', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { min_sats: 5001 });
    const invoiced = (client = merchant.test) => client.post(path, orderBody({}, { generate_invoice: true }));
    expectInvalid(await invoiced(), /5000 sats is below the smallest payment.*5001 sats/);
    expectError(await invoiced(merchant.live), 'no_wallet');
  });

  test('keeps no order when no wallet answers, and notes the fault', async () => {
    const merchant = await app.newMerchant();
    const walletId = await testWalletId(app, merchant);
    await changeWallet(app, walletId, { settings: { fail: true } });
    const before = await books(app);
    const reply = await merchant.test.post(path, orderBody({}, { generate_invoice: true }));
    expectError(reply, 'wallet_unavailable');
    expect(reply.headers['retry-after']).toMatch(/^\d+$/);
    expect(await books(app)).toEqual(before);
    const { body: wallet } = await merchant.test.get(`/api/v1/m/wallets/${walletId}`);
    expect(wallet).toMatchObject({ consecutive_failures: 1, last_checked_at: now });
    expect(wallet.last_error).toMatch(/set to fail/);
  });

  test('asks only the wallet that was named', async () => {
    const merchant = await app.newMerchant();
    const second = await addWallet(app, merchant);
    for (const wallet_id of [second, second.toUpperCase()]) {
      const pinned = await merchant.test.post(path, orderBody({ wallet_id }, { generate_invoice: true }));
      expect(pinned.body.wallet_id).toBe(second);
    }
    await changeWallet(app, second, { settings: { fail: true } });
    const failed = await merchant.test.post(path, orderBody({ wallet_id: second }, { generate_invoice: true }));
    expectError(failed, 'wallet_unavailable');
    await changeWallet(app, second, { enabled: false });
    const disabled = await merchant.test.post(path, orderBody({ wallet_id: second }, { generate_invoice: true }));
    expectError(disabled, 'no_wallet');
  });

  test('knows no wallet of others, of the other mode, or that never was', async () => {
    const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
    const foreign = await testWalletId(app, other);
    const before = await books(app);
    for (const [client, wallet_id] of [
      [merchant.test, foreign],
      [merchant.live, await testWalletId(app, merchant)],
      [merchant.test, 'nonsense'],
      [merchant.test, ''],
    ] as const) {
      for (const generate_invoice of [true, false]) {
        const reply = await client.post(path, orderBody({ wallet_id }, { generate_invoice }));
        expectError(reply, 'not_found', { message: 'Wallet not found' });
      }
    }
    expect(await books(app)).toEqual(before);
  });
});

describe('with mark_as_paid', () => {
  test('a cash order is paid at once, with a payment and its events', async () => {
    const merchant = await app.newMerchant();
    const { status, body: order } = await merchant.test.post(
      path,
      orderBody({ tender_type: 'cash' }, { mark_as_paid: true }),
    );
    expect(status).toBe(201);
    expect(order).toMatchObject({ status: 'paid', tender_type: 'cash', wallet_id: null, cash_paid_at: now });
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'payment.confirmed', 'order.paid']);
    const [paid] = await eventBodies(app, merchant.id, 'order.paid');
    expect(paid.data).toEqual(order);
    const [created] = await eventBodies(app, merchant.id, 'order.created');
    expect(created.data).toEqual(order);
    const { body: payments } = await merchant.test.get(`/api/v1/m/payments?q[order_id_eq]=${order.id}`);
    expect(payments.data).toHaveLength(1);
    expect(payments.data[0]).toMatchObject({ amount_sats: null, invoice_id: null, preimage: null, payment_hash: null });
  });

  test('is refused for bitcoin, said or unsaid', async () => {
    const { test: client } = await app.newMerchant();
    const before = await books(app);
    for (const order of [{}, { tender_type: 'bitcoin' }, { tender_type: null }]) {
      expectInvalid(
        await client.post(path, orderBody(order, { mark_as_paid: true })),
        /mark_as_paid needs tender_type cash/,
      );
    }
    expect(await books(app)).toEqual(before);
  });

  test('cash may come to more than all bitcoin there is', async () => {
    const { test: client } = await app.newMerchant();
    const most = Number.MAX_SAFE_INTEGER;
    const items = [{ name: 'A country', price_cents: most, qty: 1 }];
    const order = await createOrder(client, { tender_type: 'cash', total_amount_cents: most, items });
    expect(order).toMatchObject({ total_amount_cents: most, total_amount_sats: 0 });
  });

  test('a cash order without it stays pending and has no cash_paid_at', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client, { tender_type: 'cash' });
    expect(order.status).toBe('pending');
    expect(order).not.toHaveProperty('cash_paid_at');
    // Prices come along when there is a rate.
    expect(order).toMatchObject({ total_amount_sats: 5000, btc_fiat_price_at_creation: '100000.00' });
  });
});

describe('bodies that are wrong', () => {
  test('names each member that is missing', async () => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.post(path), 'order is required');
    expectInvalid(await client.post(path, { total_amount_cents: 500, items: [] }), 'order is required');
    expectInvalid(await client.post(path, { order: {} }), 'total_amount_cents is required', 'items is required');
    expectInvalid(
      await client.post(path, orderBody({ items: [{}] })),
      'items[0].name is required',
      'items[0].price_cents is required',
      'items[0].qty is required',
    );
    expectInvalid(await client.post(path, orderBody({ items: [] })), 'items must not be empty');
    expectInvalid(
      await client.post(path, orderBody({ tender_type: 'card' })),
      'tender_type must be one of bitcoin, cash',
    );
  });

  test('takes 500 items and no more', async () => {
    const { test: client } = await app.newMerchant();
    const items = (count: number) => Array.from({ length: count }, () => ({ name: 'A', price_cents: 1, qty: 1 }));
    expect((await client.post(path, orderBody({ items: items(500) }))).body.items).toHaveLength(500);
    expectInvalid(await client.post(path, orderBody({ items: items(501) })), 'items must have at most 500 entries');
  });

  test('refuses a price times a quantity beyond 2^53-1, and their sum', async () => {
    const { test: client } = await app.newMerchant();
    const most = Number.MAX_SAFE_INTEGER;
    const line = (price_cents: number, qty: number) => ({ name: 'A', price_cents, qty });
    expect((await client.post(path, orderBody({ items: [line(most, 1)] }))).status).toBe(201);
    expectInvalid(
      await client.post(path, orderBody({ items: [line(1, 1), line(most, 2)] })),
      /^items\[1\].*9007199254740991/,
    );
    expectInvalid(
      await client.post(path, orderBody({ items: [line(most, 1), line(1, 1)] })),
      /^items must come to at most/,
    );
  });

  test('holds metadata to its limits', async () => {
    const { test: client } = await app.newMerchant();
    const refused = async (metadata: unknown, sentence: RegExp) =>
      expectInvalid(await client.post(path, orderBody({ metadata })), sentence);
    const keys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));
    expect((await createOrder(client, { metadata: keys(50) })).metadata).toEqual(keys(50));
    const emoji = { ['🥨'.repeat(40)]: '🥨'.repeat(500) };
    expect((await createOrder(client, { metadata: emoji })).metadata).toEqual(emoji);
    await refused({ note: '🥨'.repeat(501) }, /strings of at most 500 characters/);
    await refused(keys(51), /^metadata must have at most 50 keys$/);
    await refused({ ['k'.repeat(41)]: 1 }, /^metadata must have keys of at most 40 characters$/);
    await refused(
      { note: 'x'.repeat(501) },
      /^metadata must have strings of at most 500 characters \(note is longer\)$/,
    );
    const fullOfText = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(40, 'k'), 'x'.repeat(500)]),
    );
    expect((await createOrder(client, { metadata: fullOfText })).metadata).toEqual(fullOfText);
    const tooLarge = /^metadata must be at most 16 kB of JSON, unless all its values are strings$/;
    await refused({ ...fullOfText, ['0'.padEnd(40, 'k')]: 1 }, tooLarge);
    await refused({ list: ['x'.repeat(16_384)] }, tooLarge);
    await refused([], /^metadata must be an object$/);
    await refused('text', /^metadata must be an object$/);
  });
});
