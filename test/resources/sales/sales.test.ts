import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import { anId, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/sales';

async function sell(merchant: TestMerchant, order: Record<string, unknown> = {}): Promise<string> {
  const made = await createOrderWithInvoice(merchant.test, order);
  await merchant.test.post(`/api/v1/m/invoices/${made.invoice.id}/simulate_payment`);
  return saleOf(merchant, made.id);
}

async function saleOf(merchant: TestMerchant, orderId: string): Promise<string> {
  return (await merchant.test.get(`${path}?q[order_id_eq]=${orderId}`)).body.data[0].id;
}

describe('GET {id}', () => {
  describeRefusals(() => app, {
    method: 'GET',
    path: (id) => `${path}/${id}`,
    permission: 'payments:read',
    resource: 'Sale',
    make: sell,
  });

  test('the conversion fee is the one that was charged, whatever the merchant asks for since', async () => {
    const merchant = await app.newMerchant();
    await merchant.test.patch('/api/v1/m/merchant', { merchant: { conversion_fee_percent: '10' } });
    const order = await createOrderWithInvoice(merchant.test);
    await merchant.test.patch('/api/v1/m/merchant', { merchant: { conversion_fee_percent: '2' } });
    await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    const sale = (await merchant.test.get(`${path}/${await saleOf(merchant, order.id)}`)).body;
    expect(sale).toMatchObject({ conversion_fee_percent: '10.0', conversion_fee_cents: 50, amount_sats: 5500 });
  });

  test('the rest of an order is asked for with the fee of its quote', async () => {
    const merchant = await app.newMerchant();
    const feeIs = (conversion_fee_percent: string) =>
      merchant.test.patch('/api/v1/m/merchant', { merchant: { conversion_fee_percent } });
    await feeIs('10');
    const order = await createOrderWithInvoice(merchant.test);
    await merchant.test.patch(`/api/v1/m/orders/${order.id}`, { order: { total_amount_cents: 1500 } });
    await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    await feeIs('2');
    const { body: rest } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
    expect(rest.amount_sats).toBe(11_000);
    await merchant.test.post(`/api/v1/m/invoices/${rest.id}/simulate_payment`);
    const sale = (await merchant.test.get(`${path}/${await saleOf(merchant, order.id)}`)).body;
    expect(sale).toMatchObject({ conversion_fee_percent: '10.0', conversion_fee_cents: 150, amount_sats: 16_500 });
  });

  test('answers every member', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrderWithInvoice(merchant.test, {
      customer_email: 'buyer@example.com',
      metadata: { table: 7 },
    });
    app.clock.advanceSeconds(30);
    const payment = (await merchant.test.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`)).body;
    const sale = (await merchant.test.get(`${path}/${await saleOf(merchant, order.id)}`)).body;
    expect(sale).toEqual({
      object: 'sale',
      livemode: false,
      id: anId(),
      order_id: order.id,
      order_number: order.order_number,
      merchant_id: merchant.id,
      status: 'paid',
      source: 'api',
      currency: 'usd',
      ordered_at: order.created_at,
      sold_at: payment.settled_at,
      subtotal_cents: 500,
      discount_cents: 0,
      discount_id: null,
      discount_name: null,
      tax_cents: 0,
      tax_details: [],
      conversion_fee_percent: '0.0',
      conversion_fee_cents: 0,
      total_cents: 500,
      amount_due_cents: 0,
      refunded_cents: 0,
      payment_method: 'lightning',
      payment_id: payment.id,
      amount_sats: 5000,
      btc_price_at_order: '100000.00',
      btc_price_at_payment: '100000.00',
      btc_usd_price_at_payment: '100000.00',
      fiat_value_at_payment: '5.00',
      usd_value_at_payment: '5.00',
      fiat_variance_cents: 0,
      usd_variance_cents: 0,
      variance_percentage: '0.00',
      payment_hash: payment.payment_hash,
      preimage: payment.preimage,
      wallet_id: await testWalletId(app, merchant),
      wallet_name: 'Simulated test wallet',
      api_token_id: merchant.test.id,
      customer_name: null,
      customer_email: 'buyer@example.com',
      delivery_status: 'not_required',
      shipped_at: null,
      delivered_at: null,
      margin_percent: null,
      margin_amount_sats: null,
      settlement_amount_sats: 5000,
      metadata: { table: 7 },
      receipt_url: expect.stringMatching(/^http:\/\/.+\/receipts\/rcp_[0-9A-Za-z]{24}$/),
      items: [
        {
          id: anId(),
          name: 'Coffee',
          qty: 1,
          price_cents: 500,
          line_total_cents: 500,
          tax_rate: null,
          tax_amount_cents: 0,
          product_id: null,
          product_sku: null,
          product_type_id: null,
          product_type_name: null,
          total_amount_sats: 5000,
          margin_amount_sats: null,
          settlement_amount_sats: 5000,
        },
      ],
      created_at: payment.created_at,
      updated_at: payment.created_at,
    });
  });

  test('keeps the name of a wallet that was removed', async () => {
    const merchant = await app.newMerchant();
    const { id, invoice } = await createOrderWithInvoice(merchant.test);
    await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
    await merchant.test.delete(`/api/v1/m/wallets/${await testWalletId(app, merchant)}`);
    const sale = (await merchant.test.get(`${path}/${await saleOf(merchant, id)}`)).body;
    expect(sale).toMatchObject({ wallet_name: 'Simulated test wallet' });
  });

  test('a cash sale has no bitcoin figures', async () => {
    const merchant = await app.newMerchant();
    const order = (
      await merchant.test.post('/api/v1/m/orders', orderBody({ tender_type: 'cash' }, { mark_as_paid: true }))
    ).body;
    const sale = (await merchant.test.get(`${path}/${await saleOf(merchant, order.id)}`)).body;
    expect(sale).toMatchObject({
      payment_method: 'cash',
      amount_sats: null,
      settlement_amount_sats: null,
      payment_hash: null,
      wallet_id: null,
      variance_percentage: null,
    });
  });

  test('its delivery moves with the order, which stays paid', async () => {
    const merchant = await app.newMerchant();
    const id = await sell(merchant);
    const orderId = (await merchant.test.get(`${path}/${id}`)).body.order_id;
    for (const status of ['shipped', 'delivered']) {
      app.clock.advanceSeconds(10);
      const patched = await merchant.test.patch(`/api/v1/m/orders/${orderId}`, { order: { status } });
      expect(patched.body.status).toBe('paid');
      expect((await merchant.test.get(`${path}/${id}`)).body.delivery_status).toBe(status);
    }
    const { shipped_at, delivered_at } = (await merchant.test.get(`${path}/${id}`)).body;
    expect(Date.parse(delivered_at) - Date.parse(shipped_at)).toBe(10_000);
    await merchant.test.patch(`/api/v1/m/orders/${orderId}`, { order: { status: 'shipped' } });
    const corrected = (await merchant.test.get(`${path}/${id}`)).body;
    expect(corrected).toMatchObject({ delivery_status: 'shipped', shipped_at, delivered_at: null });
  });
});

describe('lines', () => {
  test('add up to the subtotal, their taxes to the tax, their sats to what arrived, for any totals', async () => {
    const merchant = await app.newMerchant();
    const product = await createProduct(merchant.test);
    const line = fc.record({
      name: fc.constantFrom('Tea', 'Cake', '数'),
      price_cents: fc.integer({ min: 0, max: 5000 }),
      qty: fc.integer({ min: 1, max: 9 }),
      product_id: fc.constantFrom(undefined, product.id),
    });
    const totals = fc.record({
      items: fc.array(line, { minLength: 1, maxLength: 6 }),
      total_amount_cents: fc.integer({ min: 1, max: 100_000 }),
      tax_amount_cents: fc.integer({ min: 0, max: 3000 }),
      discount_amount_cents: fc.integer({ min: 0, max: 3000 }),
      currency: fc.constantFrom('usd', 'jpy', 'kwd'),
    });
    await fc.assert(
      fc.asyncProperty(totals, async ({ currency, ...priced }) => {
        // A product is sold in its own currency only.
        const isOfCatalog = priced.items.some(({ product_id }) => product_id);
        const order = { ...priced, currency: isOfCatalog ? 'usd' : currency };
        const sale = (await merchant.test.get(`${path}/${await sell(merchant, order)}`)).body;
        const sum = (member: string) =>
          sale.items.reduce((all: number, item: Record<string, number>) => all + item[member]!, 0);
        expect(sum('line_total_cents')).toBe(sale.subtotal_cents);
        expect(sum('tax_amount_cents')).toBe(sale.tax_cents);
        expect(sum('total_amount_sats')).toBe(sale.amount_sats);
        const net = sale.subtotal_cents - sale.discount_cents;
        expect([net, net + sale.tax_cents]).toContain(sale.total_cents);
        expect(sale.total_cents).toBe(order.total_amount_cents);
      }),
      { numRuns: 15 },
    );
  });

  test('a tip beside a product of the catalog bears none of the tax', async () => {
    const merchant = await app.newMerchant();
    const product = await createProduct(merchant.test);
    const items = [{ name: 'Dinner', price_cents: 1000, qty: 1, product_id: product.id }];
    const id = await sell(merchant, { items, total_amount_cents: 1280, tax_amount_cents: 80 });
    const sale = (await merchant.test.get(`${path}/${id}`)).body;
    expect(
      sale.items.map((item: { name: string; tax_amount_cents: number }) => [item.name, item.tax_amount_cents]),
    ).toEqual([
      ['Dinner', 80],
      ['Adjustment', 0],
    ]);
  });

  test('a total that differs from the items gets one line that says so', async () => {
    const merchant = await app.newMerchant();
    const sale = (await merchant.test.get(`${path}/${await sell(merchant, { total_amount_cents: 450 })}`)).body;
    expect(
      sale.items.map((item: { name: string; line_total_cents: number }) => [item.name, item.line_total_cents]),
    ).toEqual([
      ['Coffee', 500],
      ['Adjustment', -50],
    ]);
  });
});

describe('listing', () => {
  describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'payments:read' });

  test('filters by every declared field', async () => {
    const merchant = await app.newMerchant();
    const lightning = await sell(merchant);
    const cashOrder = (
      await merchant.test.post(
        '/api/v1/m/orders',
        orderBody({ tender_type: 'cash', currency: 'EUR' }, { mark_as_paid: true }),
      )
    ).body;
    const cash = await saleOf(merchant, cashOrder.id);
    const ids = async (query: string) =>
      (await merchant.test.get(`${path}?${query}`)).body.data.map((sale: { id: string }) => sale.id);
    expect(await ids('')).toEqual([cash, lightning]);
    expect(await ids('q[payment_method_eq]=cash')).toEqual([cash]);
    expect(await ids('q[currency_eq]=usd')).toEqual([lightning]);
    expect(await ids(`q[order_number_eq]=${cashOrder.order_number}`)).toEqual([cash]);
    expect(await ids('q[source_eq]=checkout')).toEqual([]);
    expect(await ids('q[status_eq]=paid')).toEqual([cash, lightning]);
    expect(await ids('q[sold_at_gt]=2099-01-01')).toEqual([]);
    expectInvalid(await merchant.test.get(`${path}?q[preimage_eq]=x`), unknownFilter('q[preimage_eq]'));
  });
});
