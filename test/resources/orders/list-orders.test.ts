import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/orders';
type Listed = { id: string };
const ids = (body: { data: Listed[] }) => body.data.map((order) => order.id);
const listed = async (client: Client, query: string) => {
  const reply = await client.get(`${path}?${query}`);
  expect(reply.status).toBe(200);
  return ids(reply.body);
};

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'orders:read' });

describe('the page', () => {
  test('has the envelope and whole orders, newest first', async () => {
    const { test: client } = await app.newMerchant();
    const first = await createOrder(client);
    app.clock.advanceSeconds(1);
    const { invoice, ...second } = await createOrderWithInvoice(client);
    const reply = await client.get(path);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      object: 'list',
      data: [second, first],
      meta: { current_page: 1, per_page: 25, total_count: 2, total_pages: 1, next_page: null, prev_page: null },
    });
  });

  test('is empty for a merchant without orders', async () => {
    const { test: client } = await app.newMerchant();
    expect((await client.get(path)).body).toEqual({
      object: 'list',
      data: [],
      meta: { current_page: 1, per_page: 25, total_count: 0, total_pages: 0, next_page: null, prev_page: null },
    });
  });

  test('walks 60 orders of one moment, each once (case C069)', async () => {
    const { test: client } = await app.newMerchant();
    const made: string[] = [];
    for (let count = 0; count < 60; count++) made.push((await createOrder(client)).id);
    const pages = [];
    for (const page of [1, 2, 3]) pages.push((await client.get(`${path}?per_page=25&page=${page}`)).body);
    expect(pages.map((body) => body.data.length)).toEqual([25, 25, 10]);
    expect(pages.flatMap(ids)).toEqual(made.toReversed());
    expect(pages.map((body) => body.meta)).toEqual([
      { current_page: 1, per_page: 25, total_count: 60, total_pages: 3, next_page: 2, prev_page: null },
      { current_page: 2, per_page: 25, total_count: 60, total_pages: 3, next_page: 3, prev_page: 1 },
      { current_page: 3, per_page: 25, total_count: 60, total_pages: 3, next_page: null, prev_page: 2 },
    ]);

    const past = (await client.get(`${path}?page=999999999999`)).body;
    expect(past.data).toEqual([]);
    expect(past.meta).toMatchObject({ current_page: 999999999999, total_count: 60, total_pages: 3, next_page: null });
    for (const size of ['101', '99999999999', '9'.repeat(400)]) {
      const { meta } = (await client.get(`${path}?per_page=${size}`)).body;
      expect(meta).toMatchObject({ per_page: 100, total_pages: 1 });
    }
  });

  test.each(['0', '-1', '1.5', '1e2', 'ten', '', ' 5', '0x10', '１'])(
    'refuses %j for page and per_page',
    async (value) => {
      const { test: client } = await app.newMerchant();
      for (const name of ['page', 'per_page']) {
        const reply = await client.get(`${path}?${name}=${encodeURIComponent(value)}`);
        expectInvalid(reply, new RegExp(`^${name} must be a whole number from 1`));
      }
    },
  );

  test('refuses a page given twice', async () => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.get(`${path}?page=1&page=2`), /^page must be/);
  });
});

describe('what is seen', () => {
  test('is the caller’s own, in the key’s mode', async () => {
    const [one, two] = [await app.newMerchant(), await app.newMerchant()];
    const mine = await createOrder(one.test);
    const live = await createOrder(one.live);
    await createOrder(two.test);
    expect(await listed(one.test, '')).toEqual([mine.id]);
    expect(await listed(one.live, '')).toEqual([live.id]);
    expect(await listed(one.test, `q[merchant_id_eq]=${one.id}`)).toEqual([mine.id]);
    expect(await listed(one.test, `q[merchant_id_eq]=${two.id}`)).toEqual([]);
    expect(await listed(one.test, `q[merchant_id_in]=${two.id},${one.id}`)).toEqual([mine.id]);
  });

  test('leaves cancelled orders out until they are asked for', async () => {
    const { test: client } = await app.newMerchant();
    const [kept, gone] = [await createOrder(client), await createOrder(client)];
    await client.delete(`${path}/${gone.id}`);
    expect(await listed(client, '')).toEqual([kept.id]);
    expect(await listed(client, 'q[status_eq]=cancelled')).toEqual([gone.id]);
    expect(await listed(client, 'q[status_in]=cancelled,pending')).toEqual([gone.id, kept.id]);
    expect(await listed(client, 'q[status_not_eq]=cancelled')).toEqual([kept.id]);
    expect(await listed(client, 'q[status_not_eq]=paid')).toEqual([kept.id]);
    const { meta } = (await client.get(path)).body;
    expect(meta.total_count).toBe(1);
  });
});

describe('filters', () => {
  let merchant: TestMerchant;
  let orders: Record<'lightning' | 'cash' | 'open', { id: string; order_number: string; created_at: string }>;
  beforeAll(async () => {
    merchant = await app.newMerchant();
    const lightning = await createOrderWithInvoice(merchant.test, { total_amount_cents: 100 });
    await merchant.test.post(`/api/v1/m/invoices/${lightning.invoice.id}/simulate_payment`);
    app.clock.advanceSeconds(60);
    const { body: cash } = await merchant.test.post(
      path,
      orderBody({ total_amount_cents: 200, currency: 'eur', tender_type: 'cash' }, { mark_as_paid: true }),
    );
    app.clock.advanceSeconds(60);
    const open = await createOrder(merchant.test, { total_amount_cents: 300, currency: 'jpy' });
    orders = { lightning, cash, open };
  });

  test.each([
    ['q[status_eq]=paid', ['cash', 'lightning']],
    ['q%5Bstatus_eq%5D=paid', ['cash', 'lightning']],
    ['q[status_eq]=refunded', []],
    ['q[status_in]=paid,pending', ['open', 'cash', 'lightning']],
    ['q[currency_eq]=eur', ['cash']],
    ['q[currency_not_eq]=eur', ['open', 'lightning']],
    ['q[currency_in]=eur,jpy', ['open', 'cash']],
    ['q[currency_eq]=EUR', ['cash']],
    ['q[currency_in]=Jpy,gbp', ['open']],
    ['q[order_number_eq]=ORD-000002', ['cash']],
    ['q[order_number_cont]=ord-00000', ['open', 'cash', 'lightning']],
    ['q[order_number_cont]=%25', []],
    ['q[order_number_cont]=_', []],
    ['q[total_amount_cents_eq]=200', ['cash']],
    ['q[total_amount_cents_gteq]=200', ['open', 'cash']],
    ['q[total_amount_cents_gt]=200', ['open']],
    ['q[total_amount_cents_lteq]=200', ['cash', 'lightning']],
    ['q[total_amount_cents_lt]=200', ['lightning']],
    ['q[total_amount_cents_in]=100,300', ['open', 'lightning']],
    ['q[total_amount_cents_gteq]=-9007199254740991', ['open', 'cash', 'lightning']],
    ['q[payments_payment_type_eq]=0', ['lightning']],
    ['q[payments_payment_type_eq]=1', ['cash']],
    ['q[payments_payment_type_not_eq]=1', ['open', 'lightning']],
    ['q[payments_payment_type_in]=0,1', ['cash', 'lightning']],
    ['q[status_eq]=paid&q[total_amount_cents_gt]=100', ['cash']],
    ['q[created_at_gteq]=0001-01-01', ['open', 'cash', 'lightning']],
    ['q[created_at_gteq]=0000-01-01T00:00:00%2B14:00', ['open', 'cash', 'lightning']],
    ['q[created_at_lteq]=9999-12-31T23:59:59-14:00', ['open', 'cash', 'lightning']],
  ] as [string, ('lightning' | 'cash' | 'open')[]][])('%s', async (query, names) => {
    expect(await listed(merchant.test, query)).toEqual(names.map((name) => orders[name].id));
  });

  test('a printed time finds its own row', async () => {
    const { cash, open, lightning } = orders;
    const at = cash.created_at;
    expect(await listed(merchant.test, `q[created_at_eq]=${at}`)).toEqual([cash.id]);
    expect(await listed(merchant.test, `q[created_at_gteq]=${at}`)).toEqual([open.id, cash.id]);
    expect(await listed(merchant.test, `q[created_at_gt]=${at}`)).toEqual([open.id]);
    expect(await listed(merchant.test, `q[created_at_lteq]=${at}`)).toEqual([cash.id, lightning.id]);
    expect(await listed(merchant.test, `q[created_at_lt]=${at}`)).toEqual([lightning.id]);
    expect(await listed(merchant.test, `q[created_at_gteq]=${at}&q[created_at_lteq]=${at}`)).toEqual([cash.id]);
  });

  test('times may have an offset, its plus encoded or not, or be a date (case C073)', async () => {
    const { test: client } = await app.newMerchant();
    app.clock.set(new Date('2027-04-01T08:00:00.000Z'));
    const order = await createOrder(client);
    for (const moment of [
      '2027-04-01T08:00:00Z',
      '2027-04-01T10:00:00+02:00',
      '2027-04-01T10:00:00%2B02:00',
      '2027-04-01T10:00:00 02:00',
      '2027-04-01T03:30:00-04:30',
    ]) {
      expect(await listed(client, `q[created_at_gteq]=${moment}`), moment).toEqual([order.id]);
      expect(await listed(client, `q[created_at_lt]=${moment}`), moment).toEqual([]);
    }
    expect(await listed(client, 'q[created_at_gteq]=2027-04-01')).toEqual([order.id]);
    expect(await listed(client, 'q[created_at_lt]=2027-04-01')).toEqual([]);
    expect(await listed(client, 'q[created_at_gteq]=2027-04-02')).toEqual([]);
    for (const moment of ['2027-02-30T00:00:00Z', '1772359200', 'yesterday', '2027-04-01T08:00:00', '']) {
      expectInvalid(
        await client.get(`${path}?q[created_at_gteq]=${moment}`),
        /^q\[created_at_gteq\] must be an ISO 8601/,
      );
    }
  });

  test.each([
    ['q[statuss_eq]=paid', unknownFilter('q[statuss_eq]')],
    ['q[status_eqq]=paid', unknownFilter('q[status_eqq]')],
    ['q[status_banana]=x', unknownFilter('q[status_banana]')],
    ['q[status]=paid', unknownFilter('q[status]')],
    ['q[currency_eq]=xyz', 'q[currency_eq] must be an ISO 4217 currency code'],
    ['q[id_eq]=1', unknownFilter('q[id_eq]')],
    ['q[status_cont]=pa', unknownFilter('q[status_cont]')],
    ['q[__proto___eq]=x', unknownFilter('q[__proto___eq]')],
    ['q=paid', unknownFilter('q')],
    ['q[]=paid', unknownFilter('q[]')],
    ['q[status_eq=paid', unknownFilter('q[status_eq')],
    ['q[status_eq][]=paid', /is not a known filter; /],
    ['Q[status_eq]=paid', unknownFilter('Q[status_eq]')],
    ['filter[status]=paid', unknownFilter('filter[status]')],
    ['total_amount_cents[gteq]=500', unknownFilter('total_amount_cents[gteq]')],
    ['status=paid', /write q\[status_eq\]/],
    ['status_eq=paid', /write q\[status_eq\]/],
    ['q[status_eq]=paid&q[status_eq]=pending', 'q[status_eq] is given more than once'],
    ['q[status_eq]=', /^q\[status_eq\] must be one of pending/],
    ['q[status_eq]=PAID', /^q\[status_eq\] must be one of/],
    ['q[merchant_id_eq]=not-a-uuid', 'q[merchant_id_eq] must be a UUID'],
    ['q[total_amount_cents_gteq]=1e3', /^q\[total_amount_cents_gteq\] must be a whole number/],
    ['q[total_amount_cents_gteq]=99999999999999999999', /must be a whole number/],
    ['q[total_amount_cents_gteq]=9007199254740992', /must be a whole number/],
    ['q[payments_payment_type_eq]=2', 'q[payments_payment_type_eq] must be one of 0 lightning, 1 cash'],
    ['q[order_number_eq]=%00', /^q\[order_number_eq\] must be text without NUL/],
  ] as [string, string | RegExp][])('refuses %s by name (cases C071, C074)', async (query, sentence) => {
    expectInvalid(await merchant.test.get(`${path}?${query}`), sentence);
  });

  test('names every fault at once', async () => {
    expectInvalid(
      await merchant.test.get(`${path}?q[a_eq]=1&q[merchant_id_eq]=2`),
      unknownFilter('q[a_eq]'),
      'q[merchant_id_eq] must be a UUID',
    );
  });
});

describe('expand', () => {
  test('adds invoice, payment and merchant to each order that has one', async () => {
    const merchant = await app.newMerchant();
    const plain = await createOrder(merchant.test);
    const paid = await createOrderWithInvoice(merchant.test);
    const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${paid.invoice.id}/simulate_payment`);
    const { body: own } = await merchant.test.get('/api/v1/m/merchant');
    const { body } = await merchant.test.get(`${path}?expand=invoice,payment,merchant`);
    expect(body.data.map((order: { id: string }) => order.id)).toEqual([paid.id, plain.id]);
    expect(body.data[0]).toMatchObject({ payment, merchant: own, invoice: { id: paid.invoice.id, status: 'paid' } });
    expect(body.data[1].merchant).toEqual(own);
    expect(body.data[1]).not.toHaveProperty('invoice');
    expect(body.data[1]).not.toHaveProperty('payment');
    const some = (await merchant.test.get(`${path}?expand=payment`)).body.data[0];
    expect(some.payment).toEqual(payment);
    expect(some).not.toHaveProperty('invoice');
    expect(some).not.toHaveProperty('merchant');
  });

  test('refuses what it does not know', async () => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.get(`${path}?expand=invoice,sale`), /^expand must be some of.*sale is unknown$/);
    expectInvalid(await client.get(`${path}?expand=invoice&expand=payment`), /^expand is given more than once$/);
    const asList = /^expand\[\] is not a parameter; write expand=invoice,payment$/;
    expectInvalid(await client.get(`${path}?expand[]=invoice&expand[]=payment`), asList);
    expectInvalid(await client.get(`${path}/${(await createOrder(client)).id}?expand[]=invoice`), asList);
  });
});
