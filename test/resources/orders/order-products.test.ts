import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createDiscount, createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { books, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, orderBody } from '../../harness/orders.ts';

let app: TestApp;
let merchant: TestMerchant;
let client: Client;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  client = merchant.test;
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';

interface Line {
  price_cents: number;
  line_total_cents: number;
  tax_amount_cents: number;
  total_amount_sats: number;
}

async function saleOf(orderId: string) {
  return (await client.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`)).body.data[0];
}

/** Takes an order in cash. @returns its sale. */
async function sell(order: Record<string, unknown>) {
  const reply = await client.post(path, orderBody({ ...order, tender_type: 'cash' }, { mark_as_paid: true }));
  expect([reply.status, reply.body.error]).toEqual([201, undefined]);
  return saleOf(reply.body.id);
}

async function callTool(name: string, args: Record<string, unknown>, key = client.key) {
  const { body } = await app.stranger.post(
    '/api/v1/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { authorization: `Bearer ${key}` },
  );
  return { isError: body.result.isError, value: JSON.parse(body.result.content[0].text) };
}

/** A product of a type that bears one tax. */
async function taxedProduct(rate: string, inclusive: boolean, product: Record<string, unknown> = {}) {
  const tax = await createTax(client, { name: 'VAT', rate, inclusive });
  const type = await createProductType(client, { name: 'Food', tax_ids: [tax.id] });
  return { tax, type, product: await createProduct(client, { product_type_id: type.id, ...product }) };
}
const item = (product: { id: string }, price_cents: number, qty = 1) => ({
  name: 'Line',
  price_cents,
  qty,
  product_id: product.id,
});

describe('an order with a total of its own', () => {
  test('names products by id or slug; the sale knows them with their types', async () => {
    const type = await createProductType(client, { name: 'Drinks' });
    const [tea, cake] = [
      await createProduct(client, { sku: 'TEA', product_type_id: type.id }),
      await createProduct(client, { price_cents: 900 }),
    ];
    const sale = await sell({
      total_amount_cents: 900,
      items: [item({ id: tea.slug }, 500), { ...item(cake, 400), sku: 'OWN' }],
    });
    expect(sale.items).toMatchObject([
      { product_id: tea.id, product_sku: 'TEA', product_type_id: type.id, product_type_name: 'Drinks' },
      { product_id: cake.id, product_sku: 'OWN', product_type_id: null, product_type_name: null },
    ]);
    expect(sale).toMatchObject({ subtotal_cents: 900, tax_details: [] });
  });

  test('an upper-case id names the same product', async () => {
    const product = await createProduct(client);
    const order = await createOrder(client, { items: [item({ id: product.id.toUpperCase() }, 500)] });
    expect(order.items[0].product_id).toBe(product.id);
  });

  test('gets tax and its detail from the catalog where the total is what the catalog makes of the items', async () => {
    const { tax, product } = await taxedProduct('19', true);
    const detail = { tax_id: tax.id, name: 'VAT', rate: '19.0', inclusive: true, amount_cents: 190 };
    for (const sent of [{}, { tax_amount_cents: 190 }]) {
      const sale = await sell({ total_amount_cents: 1190, items: [item(product, 1190)], ...sent });
      expect(sale).toMatchObject({ subtotal_cents: 1190, tax_cents: 190, total_cents: 1190, tax_details: [detail] });
      expect(sale.items).toMatchObject([{ tax_rate: '19.0', tax_amount_cents: 190 }]);
    }
    const { product: added } = await taxedProduct('10', false);
    const onTop = await sell({ total_amount_cents: 1100, items: [item(added, 500, 2)] });
    expect(onTop).toMatchObject({ subtotal_cents: 1000, tax_cents: 100, total_cents: 1100 });
    expect(onTop.items).toHaveLength(1);
  });

  test('stands where the catalog comes to something else, and so does what was sent beside it', async () => {
    const { product } = await taxedProduct('19', false);
    const plain = await sell({ total_amount_cents: 1000, items: [item(product, 1000)] });
    expect(plain).toMatchObject({ tax_cents: 0, tax_details: [], total_cents: 1000, subtotal_cents: 1000 });
    const own = await sell({ total_amount_cents: 1000, tax_amount_cents: 70, items: [item(product, 1000)] });
    expect(own).toMatchObject({ tax_cents: 70, tax_details: [], total_cents: 1000 });
    expect(own.items).toMatchObject([{ tax_rate: null, tax_amount_cents: 70, product_type_name: 'Food' }]);
    const adjusted = await sell({ total_amount_cents: 950, items: [item(product, 1000)] });
    expect(
      adjusted.items.map(({ name, line_total_cents }: { name: string } & Line) => [name, line_total_cents]),
    ).toEqual([
      ['Line', 1000],
      ['Adjustment', -50],
    ]);
  });

  test('404 for products of nobody, of somebody else and of the other mode; 422 for those not for sale', async () => {
    const foreign = await createProduct((await app.newMerchant()).test);
    const live = await createProduct(merchant.live);
    const mine = await createProduct(client);
    const before = await books(app);
    const names = [
      foreign.id,
      foreign.slug,
      live.id,
      '01900000-0000-7000-8000-000000000000',
      'prod_0000000000000000',
      'x',
    ];
    for (const id of names) {
      const body = orderBody({ items: [item(mine, 500), item({ id }, 0)] });
      expectError(await client.post(path, body), 'not_found', { message: 'Product not found' });
    }
    await client.patch(`/api/v1/m/products/${mine.id}`, { product: { status: 'inactive' } });
    const body = orderBody({ items: [{ name: 'Tip', price_cents: 1, qty: 1 }, item(mine, 500)] });
    const message = (status: string) => `items[1].product_id names a product that is ${status}, not for sale`;
    expectInvalid(await client.post(path, body), message('inactive'));
    await client.delete(`/api/v1/m/products/${mine.id}`);
    expectInvalid(await client.post(path, body), message('archived'));
    expect(await books(app)).toEqual(before);
  });

  test('422 for a product in another currency, also when the currency changes later (case C128)', async () => {
    const product = await createProduct(client, { currency: 'usd' });
    const sentence = 'items[0].product_id names a product priced in usd, the order is in eur';
    const body = (currency: string) => orderBody({ currency, items: [item(product, 500)] });
    expectInvalid(await client.post(path, body('EUR')), sentence);
    const order = (await client.post(path, body('USD'))).body;
    expect(order.currency).toBe('usd');
    expectInvalid(await client.patch(`${path}/${order.id}`, { order: { currency: 'eur' } }), sentence);
  });

  test('500 products are read at once', async () => {
    const products = [await createProduct(client), await createProduct(client)];
    const items = Array.from({ length: 500 }, (_, index) => item(products[index % 2], 2));
    const order = await createOrder(client, { total_amount_cents: 1000, items });
    expect(order.items[499].product_id).toBe(products[1].id);
  });
});

describe('discount_id', () => {
  test('stands on the order; the amount is filled in where the total shows that it was taken off', async () => {
    const discount = await createDiscount(client, { name: 'Ten', percent: '10' });
    const items = [{ name: 'Tea', price_cents: 1000, qty: 1 }];
    for (const [sent, discount_cents] of [
      [{ total_amount_cents: 900 }, 100],
      [{ total_amount_cents: 950, tax_amount_cents: 50 }, 100],
      [{ total_amount_cents: 900, discount_amount_cents: 100 }, 100],
      // Not taken off, or in another way than the catalog's.
      [{ total_amount_cents: 1000 }, 0],
      [{ total_amount_cents: 800, discount_amount_cents: 200 }, 200],
    ] as const) {
      const sale = await sell({ ...sent, items, discount_id: discount.id });
      expect(sale).toMatchObject({
        discount_id: discount.id,
        discount_name: 'Ten',
        discount_cents,
        subtotal_cents: 1000,
      });
      expect(sale.total_cents).toBe(sent.total_amount_cents);
    }
  });

  test('422 unless it is the merchant’s, in the mode, enabled, within its dates and in the currency', async () => {
    const now = app.clock.now().getTime();
    const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    const sentence = 'discount_id names no discount that counts now';
    const refused = [
      (await createDiscount((await app.newMerchant()).test)).id,
      (await createDiscount(merchant.live)).id,
      (await createDiscount(client, { enabled: false })).id,
      (await createDiscount(client, { starts_at: at(1) })).id,
      (await createDiscount(client, { ends_at: at(0) })).id,
      '01900000-0000-7000-8000-000000000000',
      'SUMMER',
      '',
    ];
    for (const discount_id of refused) expectInvalid(await client.post(path, orderBody({ discount_id })), sentence);
    const fixed = { kind: 'fixed', percent: null, amount_cents: 100, currency: 'eur' };
    const { id: discount_id } = await createDiscount(client, fixed);
    expectInvalid(await client.post(path, orderBody({ discount_id })), 'discount_id is in eur, not usd');
    const counting = await createDiscount(client, { starts_at: at(0), ends_at: at(1) });
    expect((await client.post(path, orderBody({ discount_id: counting.id }))).status).toBe(201);
  });
});

describe('PATCH', () => {
  const patch = (id: string, order: Record<string, unknown>) => client.patch(`${path}/${id}`, { order });

  test('looks up new products and discounts, and keeps those that the order had', async () => {
    const [kept, gone] = [await createProduct(client), await createProduct(client)];
    const discount = await createDiscount(client);
    const order = await createOrder(client, { items: [item(kept, 500)], discount_id: discount.id });
    for (const { id } of [kept, gone]) await client.delete(`/api/v1/m/products/${id}`);
    await client.patch(`/api/v1/m/discounts/${discount.id}`, { discount: { enabled: false } });
    const refused = await patch(order.id, { items: [item(gone, 500)] });
    expectInvalid(refused, 'items[0].product_id names a product that is archived, not for sale');
    expectError(await patch(order.id, { items: [item({ id: 'nonsense' }, 500)] }), 'not_found');
    expectInvalid(await patch(order.id, { discount_id: 'x' }), 'discount_id names no discount that counts now');
    const changed = await patch(order.id, { items: [item(kept, 250, 2)], discount_id: discount.id });
    expect(changed.body).toMatchObject({ items: [{ product_id: kept.id, qty: 2 }], discount_id: discount.id });
  });

  test('with a new total works out the detail anew, or drops it', async () => {
    const { product } = await taxedProduct('25', true);
    const { id } = await createOrder(client, { total_amount_cents: 500, items: [item(product, 500)] });
    const cash = { tender_type: 'cash', status: 'paid' };
    const changed = { total_amount_cents: 1000, tax_amount_cents: 200, items: [item(product, 500, 2)], ...cash };
    expect((await patch(id, changed)).body).toMatchObject({ status: 'paid', tax_amount_cents: 200 });
    expect((await saleOf(id)).tax_details).toMatchObject([{ rate: '25.0', amount_cents: 200 }]);
    const other = await createOrder(client, { total_amount_cents: 500, items: [item(product, 500)] });
    await patch(other.id, { total_amount_cents: 400, ...cash });
    expect(await saleOf(other.id)).toMatchObject({ tax_details: [], tax_cents: 100, total_cents: 400 });
  });

  test('takes tax and discount that were never sent from the catalog again, where the new total is what it makes', async () => {
    const { product } = await taxedProduct('20', false);
    const discount = await createDiscount(client, { name: 'Ten', kind: 'percent', percent: '10' });
    const order = { items: [item(product, 1000, 2)], discount_id: discount.id };
    const { id, ...made } = await createOrder(client, { ...order, total_amount_cents: 2160 });
    expect(made).toMatchObject({ tax_amount_cents: 360, discount_amount_cents: 200 });
    const more = await patch(id, { total_amount_cents: 3240, items: [item(product, 1000, 3)] });
    expect(more.body).toMatchObject({ tax_amount_cents: 540, discount_amount_cents: 300 });
    const whole = { total_amount_cents: 3600, discount_id: null, tender_type: 'cash', status: 'paid' };
    expect((await patch(id, whole)).body).toMatchObject({ tax_amount_cents: 600, discount_amount_cents: 0 });
    expect(await saleOf(id)).toMatchObject({
      tax_details: [{ rate: '20.0', amount_cents: 600 }],
      subtotal_cents: 3000,
    });
  });

  test('keeps tax and discount that were sent, whatever the catalog makes of a change', async () => {
    const { product } = await taxedProduct('20', false);
    const sent = { tax_amount_cents: 390, discount_amount_cents: 5 };
    const { id } = await createOrder(client, { total_amount_cents: 2400, items: [item(product, 1000, 2)], ...sent });
    const more = await patch(id, { total_amount_cents: 3600, items: [item(product, 1000, 3)] });
    expect(more.body).toMatchObject(sent);
  });

  test('works out what another discount takes off, also where figures were sent', async () => {
    const product = await createProduct(client, { price_cents: 1000 });
    const sent = { total_amount_cents: 1900, items: [item(product, 1000, 2)], discount_amount_cents: 5 };
    const { id } = await createOrder(client, sent);
    const discount = await createDiscount(client, { kind: 'percent', percent: '10' });
    const changed = await patch(id, { discount_id: discount.id, total_amount_cents: 1800 });
    expect(changed.body).toMatchObject({ total_amount_cents: 1800, discount_amount_cents: 200 });
  });

  test('that repeats what is there keeps the tax by name, also when the catalog has another by now', async () => {
    const { product, tax } = await taxedProduct('20', false);
    const { id } = await createOrder(client, { total_amount_cents: 1200, items: [item(product, 1000)] });
    await client.patch(`/api/v1/m/taxes/${tax.id}`, { tax: { rate: '50' } });
    const same = { total_amount_cents: 1200, tax_amount_cents: 200, discount_amount_cents: 0, currency: 'USD' };
    expect((await patch(id, { ...same, tender_type: 'cash', status: 'paid' })).body.status).toBe('paid');
    expect((await saleOf(id)).tax_details).toMatchObject([{ rate: '20.0', amount_cents: 200 }]);
  });
});

describe('create_order by product', () => {
  const create = (args: Record<string, unknown>) => callTool('create_order', args);

  test('costs what the catalog says, taxes and discount included', async () => {
    const { tax, type, product } = await taxedProduct('10', false, { name: 'Tea', price_cents: 1000, sku: 'T' });
    const discount = await createDiscount(client, { percent: '50' });
    const { value: order } = await create({
      items: [{ product_id: product.slug, qty: 2, price_cents: 1, name: 'Cheap' }],
      discount_id: discount.id,
      generate_invoice: false,
    });
    expect(order).toMatchObject({
      total_amount_cents: 1100,
      tax_amount_cents: 100,
      discount_amount_cents: 1000,
      discount_id: discount.id,
      items: [{ name: 'Tea', price_cents: 1000, qty: 2, product_id: product.id, sku: 'T' }],
    });
    await client.patch(`${path}/${order.id}`, { order: { tender_type: 'cash', status: 'paid' } });
    const sale = await saleOf(order.id);
    const detail = { tax_id: tax.id, name: 'VAT', rate: '10.0', inclusive: false, amount_cents: 100 };
    expect(sale).toMatchObject({ source: 'mcp', subtotal_cents: 2000, discount_cents: 1000, tax_details: [detail] });
    expect(sale.items).toMatchObject([{ tax_rate: '10.0', tax_amount_cents: 100, product_type_id: type.id }]);
  });

  test('a total that is sent stands, and a product says what an item leaves out', async () => {
    const product = await createProduct(client, { name: 'Tea', price_cents: 300 });
    const { value: order } = await create({
      amount_cents: 250,
      items: [{ product_id: product.id, qty: 1 }],
      generate_invoice: false,
    });
    expect(order).toMatchObject({ total_amount_cents: 250, items: [{ name: 'Tea', price_cents: 300 }] });
  });

  test('says what is missing', async () => {
    const product = await createProduct(client);
    const line = { product_id: product.id, qty: 1 };
    const sentences: [Record<string, unknown>, string][] = [
      [{}, 'amount_cents is required, or items that each name a product_id'],
      [
        { items: [line, { name: 'Tip', price_cents: 1, qty: 1 }] },
        'total_amount_cents is required unless every item names a product_id',
      ],
      [
        { items: [line], tax_amount_cents: 1 },
        'tax_amount_cents and discount_amount_cents belong to a total; without one the catalog has them',
      ],
      [{ items: [line], currency: 'eur' }, 'currency must be usd, the products are priced in it'],
      [{ amount_cents: 1, items: [{ qty: 1 }] }, 'items[0].name is required'],
      [{ amount_cents: 1, items: [{ qty: 1, name: 'Tip' }] }, 'items[0].price_cents is required'],
      [{ items: [line], discount_id: 'x' }, 'discount_id names no discount that counts now'],
    ];
    for (const [args, sentence] of sentences) {
      const { isError, value } = await create({ generate_invoice: false, ...args });
      expect([isError, value.error.details]).toEqual([true, [sentence]]);
    }
    const euros = await createProduct(client, { currency: 'eur' });
    const mixed = await create({ items: [line, { product_id: euros.id, qty: 1 }] });
    expect(mixed.value.error.details).toEqual(['products of one order must have the same currency']);
    expect((await create({ items: [{ product_id: 'nonsense', qty: 1 }] })).value.error.status).toBe(404);
  });

  test('over REST a total, names and prices are required', async () => {
    const product = await createProduct(client);
    const reply = await client.post(path, { order: { items: [{ product_id: product.id, qty: 1 }] } });
    expectInvalid(
      reply,
      'total_amount_cents is required',
      'items[0].name is required',
      'items[0].price_cents is required',
    );
  });

  test('adds up to the sat, whatever the currency, and comes to the same in any order of its lines', async () => {
    const rates = ['0.25', '7.7', '19', '33.3333'];
    const types = await Promise.all(
      rates.map(async (rate, index) => {
        const tax = await createTax(client, { rate, inclusive: index % 2 === 0 });
        return createProductType(client, { tax_ids: [tax.id] });
      }),
    );
    const line = fc.record({
      type: fc.constantFrom(undefined, ...types.map(({ id }) => id)),
      price_cents: fc.nat(5000),
      qty: fc.integer({ min: 1, max: 5 }),
    });
    const discounts = fc.oneof(
      fc.constant(undefined),
      fc.constantFrom('10', '33.3333', '99.9').map((percent) => ({ kind: 'percent', percent })),
      fc.integer({ min: 1, max: 9000 }).map((amount_cents) => ({ kind: 'fixed', percent: null, amount_cents })),
    );
    const basket = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
      currency: fc.constantFrom('usd', 'jpy', 'kwd'),
      discount: discounts,
    });
    await fc.assert(
      fc.asyncProperty(basket, async ({ lines, currency, discount }) => {
        const items: { product_id: string; qty: number }[] = [];
        for (const { type, price_cents, qty } of lines) {
          const product = await createProduct(client, { price_cents, currency, product_type_id: type ?? null });
          items.push({ product_id: product.id, qty });
        }
        const inCurrency = discount?.kind === 'fixed' ? { currency } : {};
        const made = discount && (await createDiscount(client, { ...discount, ...inCurrency }));
        const args = { items, generate_invoice: false, ...(made ? { discount_id: made.id } : {}) };
        const { value: order } = await create(args);
        const { value: turned } = await create({ ...args, items: items.toReversed() });
        const figures = ['total_amount_cents', 'tax_amount_cents', 'discount_amount_cents', 'total_amount_sats'];
        expect(figures.map((name) => turned[name])).toEqual(figures.map((name) => order[name]));
        for (const name of figures) expect(order[name]).toBeGreaterThanOrEqual(0);
        if (order.total_amount_cents === 0) return;
        const invoice = (await client.post('/api/v1/m/invoices/generate', { order_id: order.id })).body;
        await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
        const sale = await saleOf(order.id);
        const sum = (member: keyof Line) => sale.items.reduce((all: number, one: Line) => all + one[member], 0);
        expect(sale.items).toHaveLength(lines.length);
        expect(sum('line_total_cents')).toBe(sale.subtotal_cents);
        expect(sum('tax_amount_cents')).toBe(sale.tax_cents);
        expect(sum('total_amount_sats')).toBe(sale.amount_sats);
        const added = sale.tax_details.filter(({ inclusive }: { inclusive: boolean }) => !inclusive);
        const addedCents = added.reduce((all: number, one: { amount_cents: number }) => all + one.amount_cents, 0);
        expect(sale.subtotal_cents - sale.discount_cents + addedCents).toBe(sale.total_cents);
      }),
      { numRuns: 12 },
    );
  });
});
