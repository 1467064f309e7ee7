import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createDiscount, createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import { a32ByteHex } from '../../harness/expect.ts';
import { orderBody } from '../../harness/orders.ts';

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const get = (url: string, accept = 'text/html') => app.app.inject({ method: 'GET', url, headers: { accept } });
const pathOf = (url: string) => new URL(url).pathname;

async function saleOf(orderId: string) {
  return (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`)).body.data[0];
}

describe('a receipt', () => {
  test('of a checkout shows what was bought and how it was paid, but nobody’s e-mail address', async () => {
    const tax = await createTax(merchant.test, { name: 'VAT', rate: '20', inclusive: true });
    const type = await createProductType(merchant.test, { tax_ids: [tax.id] });
    const product = await createProduct(merchant.test, {
      name: 'Tea <strong>',
      price_cents: 1200,
      product_type_id: type.id,
    });
    await createDiscount(merchant.test, { name: 'Friends', code: 'FRIENDS', percent: '50' });
    const session = await merchant.test.post('/api/v1/checkout_sessions', {
      checkout_session: {
        product_id: product.id,
        discount_code: 'FRIENDS',
        customer_email: 'ada@example.com',
        customer_name: 'Ada',
      },
    });
    await app.stranger.post(`/checkout/${session.body.token}/simulate_payment`);
    const { order_id, order_number } = (await app.stranger.get(`/checkout/${session.body.token}/status`)).body;
    const sale = await saleOf(order_id);
    expect(sale.receipt_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/receipts\/rcp_\w{20,}$/);
    const json = (await get(pathOf(sale.receipt_url), 'application/json')).json();
    expect(json).toEqual({
      object: 'receipt',
      livemode: false,
      url: sale.receipt_url,
      status: 'paid',
      merchant: { name: 'Test Shop' },
      order_number,
      paid_at: sale.sold_at,
      currency: 'usd',
      items: [expect.objectContaining({ name: 'Tea <strong>', qty: 1, price_cents: 1200, line_total_cents: 1200 })],
      subtotal_cents: 1200,
      discount_cents: 600,
      discount_name: 'Friends',
      tax_cents: 100,
      tax_details: [expect.objectContaining({ name: 'VAT', amount_cents: 100 })],
      total_cents: 600,
      refunded_cents: 0,
      payment_method: 'lightning',
      amount_sats: sale.amount_sats,
      exchange_rate: expect.any(String),
      payment_hash: a32ByteHex(),
      preimage: a32ByteHex(),
    });
    const page = await get(pathOf(sale.receipt_url));
    expect(page.statusCode).toBe(200);
    for (const text of [order_number, 'Tea &lt;strong>', 'Friends', 'Test']) expect(page.body).toContain(text);
    expect(page.body).not.toContain('ada@example.com');
    expect(JSON.stringify(json)).not.toContain('ada@example.com');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    // The payer's page leads there.
    expect((await get(`/checkout/${session.body.token}`)).body).toContain(sale.receipt_url);
  });

  test('of cash shows no bitcoin', async () => {
    const { body: order } = await merchant.test.post(
      '/api/v1/m/orders',
      orderBody({ tender_type: 'cash' }, { mark_as_paid: true }),
    );
    const { receipt_url } = await saleOf(order.id);
    expect((await get(pathOf(receipt_url), 'application/json')).json()).toMatchObject({
      payment_method: 'cash',
      amount_sats: null,
      payment_hash: null,
      preimage: null,
    });
    expect((await get(pathOf(receipt_url))).statusCode).toBe(200);
  });

  test('is there for whoever has its address while the merchant is suspended, and for nobody else', async () => {
    const shop = await app.newMerchant();
    const { body: order } = await shop.test.post(
      '/api/v1/m/orders',
      orderBody({ tender_type: 'cash' }, { mark_as_paid: true }),
    );
    const [sale] = (await shop.test.get(`/api/v1/m/sales?q[order_id_eq]=${order.id}`)).body.data;
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [shop.id]);
    expect((await get(pathOf(sale.receipt_url))).statusCode).toBe(200);
    for (const token of ['rcp_unknownunknownunknown', order.id, sale.id, 'x'.repeat(3000), '%00']) {
      expect((await get(`/receipts/${token}`)).statusCode).toBe(404);
      const json = await get(`/receipts/${token}`, 'application/json');
      expect([json.statusCode, json.json().error.message]).toEqual([404, 'Receipt not found']);
    }
  });
});
