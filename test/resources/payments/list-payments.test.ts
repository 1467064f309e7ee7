import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { createOrderWithInvoice, orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/payments';
type Payment = { id: string; order_id: string; confirmed_at: string };

async function pay(client: Client, order: Record<string, unknown> = {}): Promise<Payment> {
  const { invoice } = await createOrderWithInvoice(client, order);
  return (await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`)).body;
}

async function takeCash(client: Client, order: Record<string, unknown> = {}): Promise<Payment> {
  const body = orderBody({ tender_type: 'cash', ...order }, { mark_as_paid: true });
  const { body: made } = await client.post('/api/v1/m/orders', body);
  return (await client.get(`/api/v1/m/orders/${made.id}`)).body.payment;
}

async function listed(client: Client, query: string): Promise<string[]> {
  const reply = await client.get(`${path}?${query}`);
  expect(reply.status).toBe(200);
  expect(reply.body.meta.total_count).toBe(reply.body.data.length);
  return reply.body.data.map((payment: Payment) => payment.id);
}

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'payments:read' });

test('lists whole payments with order and invoice, newest first', async () => {
  const { test: client } = await app.newMerchant();
  const first = await pay(client);
  app.clock.advanceSeconds(1);
  const second = await takeCash(client);
  const whole = async ({ id }: Payment) => (await client.get(`${path}/${id}`)).body;
  const reply = await client.get(path);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    object: 'list',
    data: [await whole(second), await whole(first)],
    meta: { current_page: 1, per_page: 25, total_count: 2, total_pages: 1, next_page: null, prev_page: null },
  });
});

test('pages, and is empty past the end', async () => {
  const { test: client } = await app.newMerchant();
  const made = [await takeCash(client), await takeCash(client), await takeCash(client)].map(({ id }) => id);
  const page = async (number: number) => (await client.get(`${path}?per_page=2&page=${number}`)).body;
  expect((await page(1)).data.map(({ id }: Payment) => id)).toEqual([made[2], made[1]]);
  expect((await page(2)).data.map(({ id }: Payment) => id)).toEqual([made[0]]);
  expect(await page(3)).toMatchObject({ data: [], meta: { total_count: 3, total_pages: 2, next_page: null } });
});

test('shows the caller’s own, in the key’s mode', async () => {
  const [one, two] = [await app.newMerchant(), await app.newMerchant()];
  const mine = await pay(one.test);
  const live = await takeCash(one.live);
  const foreign = await pay(two.test);
  expect(await listed(one.test, '')).toEqual([mine.id]);
  expect(await listed(one.live, '')).toEqual([live.id]);
  // "The payments of this order" must never turn into all payments (cases C071, C074).
  expect(await listed(one.test, `q[order_id_eq]=${foreign.order_id}`)).toEqual([]);
  expect(await listed(one.test, `q[order_id_eq]=${live.order_id}`)).toEqual([]);
});

describe('filters', () => {
  let merchant: TestMerchant;
  let payments: Record<'small' | 'big' | 'cash', Payment>;
  beforeAll(async () => {
    merchant = await app.newMerchant();
    const small = await pay(merchant.test, { total_amount_cents: 100 });
    app.clock.advanceSeconds(60);
    const big = await pay(merchant.test, { total_amount_cents: 300, currency: 'eur' });
    app.clock.advanceSeconds(60);
    payments = { small, big, cash: await takeCash(merchant.test, { currency: 'eur' }) };
  });

  test.each([
    ['q[amount_sats_gteq]=1001', ['big']],
    ['q[amount_sats_lteq]=1000', ['small']],
    ['q[amount_sats_eq]=1000', ['small']],
    ['q[amount_sats_not_eq]=1000', ['cash', 'big']],
    ['q[amount_sats_in]=1000,3489', ['big', 'small']],
    ['q[currency_eq]=eur', ['cash', 'big']],
    ['q[currency_eq]=eur&q[amount_sats_gt]=0', ['big']],
    ['q%5Bamount_sats_gteq%5D=1', ['big', 'small']],
  ] as [string, ('small' | 'big' | 'cash')[]][])('%s', async (query, names) => {
    expect(await listed(merchant.test, query)).toEqual(names.map((name) => payments[name].id));
  });

  test('by order and by moment', async () => {
    const { small, big, cash } = payments;
    expect(await listed(merchant.test, `q[order_id_eq]=${small.order_id}`)).toEqual([small.id]);
    expect(await listed(merchant.test, `q[order_id_in]=${small.order_id},${cash.order_id}`)).toEqual([
      cash.id,
      small.id,
    ]);
    const at = big.confirmed_at;
    expect(await listed(merchant.test, `q[confirmed_at_gteq]=${at}`)).toEqual([cash.id, big.id]);
    expect(await listed(merchant.test, `q[confirmed_at_lteq]=${at}`)).toEqual([big.id, small.id]);
    expect(await listed(merchant.test, `q[confirmed_at_gteq]=${at}&q[confirmed_at_lteq]=${at}`)).toEqual([big.id]);
  });

  test.each([
    ['q[order_id_eqq]=x', unknownFilter('q[order_id_eqq]')],
    ['q[order_id_eq]=not-a-uuid', 'q[order_id_eq] must be a UUID'],
    ['order_id=x', /write q\[order_id_eq\]/],
    ['q[amount_sats_gteq]=1e3', /must be a whole number/],
    ['q[amount_sats_gteq]=99999999999999999999', /must be a whole number/],
    ['q[confirmed_at_gteq]=yesterday', /must be an ISO 8601/],
    ['q[merchant_id_eq]=x', unknownFilter('q[merchant_id_eq]')],
  ] as [string, string | RegExp][])('refuses %s by name', async (query, sentence) => {
    expectInvalid(await merchant.test.get(`${path}?${query}`), sentence);
  });
});
