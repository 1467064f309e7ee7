import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeMerchantStatus } from '../../src/flows/change-merchant-status.ts';
import { cancelByLink, readCustomerView } from '../../src/flows/customer-subscription.ts';
import { billSubscriptions } from '../../src/jobs/bill-subscriptions.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createProduct, createProductType, createTax } from '../harness/catalog.ts';
import { onPostgres } from '../harness/database.ts';
import { anId, eventBodies, eventKinds, expectError } from '../harness/expect.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { Gate, pauseBefore } from '../harness/pause.ts';
import {
  act,
  customerPage,
  goTo,
  invite,
  ordersOf,
  pay,
  runBilling,
  show,
  subscribe,
} from '../harness/subscriptions.ts';
import { until } from '../harness/until.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  app.clock.set(new Date('2027-01-01T10:00:00.000Z'));
  merchant = await app.newMerchant();
});
afterEach(async () => {
  // Nothing of one test is due in the next.
  await app.rows('update subscriptions set look_at = null');
  await expectLedgerToHold(app);
});
afterAll(() => app.close());

const call = (id: string, verb: string, body?: unknown) =>
  merchant.test.post(`/api/v1/m/subscriptions/${id}/${verb}`, body);
const kinds = async (id: string) =>
  (await eventKinds(app, merchant.id, id)).map((kind) => kind.replace('subscription.', ''));
const statusOf = async ({ id }: { id: string }) => (await show(merchant.test, id)).status;

describe('the first charge', () => {
  test('is made when the customer accepts', async () => {
    const subscription = await subscribe(app, merchant.test, { metadata: { plan: 'a' } });
    expect(subscription).toMatchObject({
      status: 'active',
      starts_on: '2027-01-01',
      accepted_at: '2027-01-01T10:00:00.000Z',
      trial_ends_at: null,
      current_period_start: '2027-01-01T10:00:00.000Z',
      current_period_end: '2027-02-01T10:00:00.000Z',
      next_billing_at: '2027-02-01T10:00:00.000Z',
    });
    const { body } = await merchant.test.get('/api/v1/m/orders');
    expect(body.data).toMatchObject([
      {
        status: 'pending',
        total_amount_cents: 1000,
        customer_email: 'ada@example.com',
        items: [{ name: 'Newsletter', price_cents: 1000, qty: 1 }],
        metadata: { plan: 'a' },
      },
    ]);
    expect(await kinds(subscription.id)).toEqual(['created', 'activated']);
    await pay(app, merchant.test, subscription);
    const [sale] = (await merchant.test.get('/api/v1/m/sales')).body.data;
    expect(sale).toMatchObject({ source: 'subscription', total_cents: 1000, discount_name: null });
    expect(await statusOf(subscription)).toBe('active');
  });

  test('may have a price of its own, and bitcoin a discount on every charge', async () => {
    const terms = { amount_cents: 999, first_charge_cents: 333, bitcoin_discount_percent: '2.5' };
    const subscription = await subscribe(app, merchant.test, terms);
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-02-01T10:00:00.000Z');
    const { body } = await merchant.test.get('/api/v1/m/orders');
    // 2.5 % of 333 is 8.325, of 999 is 24.975; rounded half up.
    expect(body.data).toMatchObject([
      { total_amount_cents: 974, discount_amount_cents: 25, items: [{ price_cents: 999 }] },
      { total_amount_cents: 325, discount_amount_cents: 8, items: [{ price_cents: 333 }] },
    ]);
    const little = await subscribe(app, merchant.test, { bitcoin_discount_percent: '0.5' });
    expect(await ordersOf(app, little)).toMatchObject([{ total_amount_cents: 995 }]);
  });

  test('bears the taxes of the product as they were agreed, after the discount; sale and order agree', async () => {
    const tax = await createTax(merchant.test, { rate: '10', inclusive: false });
    const type = await createProductType(merchant.test, { name: 'Print', tax_ids: [tax.id] });
    const product = await createProduct(merchant.test, { price_cents: 1000, product_type_id: type.id });
    const terms = { product_id: product.id, bitcoin_discount_percent: '5' };
    const subscription = await subscribe(app, merchant.test, terms);
    await merchant.test.delete(`/api/v1/m/products/${product.id}`);
    await merchant.test.delete(`/api/v1/m/product_types/${type.id}`);
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-02-01T10:00:00.000Z');
    await pay(app, merchant.test, subscription);
    const { body } = await merchant.test.get('/api/v1/m/orders');
    const amounts = { total_amount_cents: 1045, tax_amount_cents: 95, discount_amount_cents: 50 };
    expect(body.data).toMatchObject([amounts, amounts]);
    const sales = (await merchant.test.get('/api/v1/m/sales')).body.data;
    expect(sales[0]).toMatchObject({
      subtotal_cents: 1000,
      discount_cents: 50,
      discount_name: 'Paid in bitcoin',
      tax_cents: 95,
      tax_details: [{ tax_id: tax.id, amount_cents: 95 }],
      total_cents: 1045,
      items: [{ product_id: product.id, product_type_name: 'Print', tax_amount_cents: 95 }],
    });
  });

  test('of nothing is complete at once', async () => {
    const subscription = await subscribe(app, merchant.test, { bitcoin_discount_percent: '100' });
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'paid', total_amount_cents: 0 }]);
    await goTo(app, '2027-02-01T10:00:00.000Z');
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'paid' }, { status: 'paid' }]);
    const [{ data }] = await eventBodies(app, merchant.id, 'subscription.renewed');
    expect(data).toMatchObject({ period: { status: 'paid' } });
    expect((await customerPage(app, subscription)).body.invoice).toBeNull();
  });

  test('waits for the day that was asked for, in the merchant’s calendar', async () => {
    await merchant.test.patch('/api/v1/m/merchant', { merchant: { time_zone: 'America/New_York' } });
    const subscription = await subscribe(app, merchant.test, { starts_on: '2027-01-31' });
    expect(subscription).toMatchObject({
      status: 'trialing',
      starts_on: '2027-01-31',
      trial_ends_at: '2027-01-31T05:00:00.000Z',
      next_billing_at: '2027-01-31T05:00:00.000Z',
      current_period_start: null,
    });
    await goTo(app, '2027-01-31T04:59:59.999Z');
    expect(await ordersOf(app, subscription)).toEqual([]);
    await goTo(app, '2027-01-31T05:00:00.000Z');
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      current_period_end: '2027-02-28T05:00:00.000Z',
    });
  });

  test('is made for the day of acceptance when that comes after the day that was asked for', async () => {
    const invited = await invite(merchant.test, { starts_on: '2027-01-15' });
    app.clock.set(new Date('2027-01-20T12:00:00.000Z'));
    await act(app, invited, 'accept');
    expect(await show(merchant.test, invited.id)).toMatchObject({
      status: 'active',
      starts_on: '2027-01-20',
      current_period_start: '2027-01-20T12:00:00.000Z',
    });
  });
});

test('a year from 31 January keeps its day, without gap or overlap (case C103)', async () => {
  const subscription = await subscribe(app, merchant.test, { starts_on: '2027-01-31' });
  for (let month = 0; month < 13; month++) {
    const { next_billing_at } = await show(merchant.test, subscription.id);
    await goTo(app, next_billing_at);
    await pay(app, merchant.test, subscription);
  }
  const orders = await ordersOf(app, subscription);
  expect(orders.map(({ starts_at }) => starts_at.toISOString().slice(0, 10))).toEqual([
    '2027-01-31',
    '2027-02-28',
    '2027-03-31',
    '2027-04-30',
    '2027-05-31',
    '2027-06-30',
    '2027-07-31',
    '2027-08-31',
    '2027-09-30',
    '2027-10-31',
    '2027-11-30',
    '2027-12-31',
    '2028-01-31',
  ]);
  for (const [index, { ends_at }] of orders.slice(0, -1).entries())
    expect(ends_at).toEqual(orders[index + 1]!.starts_at);
  expect(await show(merchant.test, subscription.id)).toMatchObject({
    current_period_start: '2028-01-31T00:00:00.000Z',
    current_period_end: '2028-02-29T00:00:00.000Z',
    next_billing_at: '2028-02-29T00:00:00.000Z',
  });
});

describe('a period is billed once (case C105)', () => {
  test('when the job runs many times at once', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    app.clock.set(new Date('2027-02-01T10:00:00.000Z'));
    await Promise.all(Array.from({ length: 8 }, () => runBilling(app)));
    expect(await ordersOf(app, subscription)).toHaveLength(2);
    expect((await kinds(subscription.id)).filter((kind) => kind === 'renewed')).toHaveLength(1);
    expect((await show(merchant.test, subscription.id)).next_billing_at).toBe('2027-03-01T10:00:00.000Z');
  });

  test('when the customer accepts many times at once', async () => {
    const invited = await invite(merchant.test);
    const replies = await Promise.all(Array.from({ length: 6 }, () => act(app, invited, 'accept')));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(await ordersOf(app, invited)).toHaveLength(1);
    expect(await kinds(invited.id)).toEqual(['created', 'activated']);
  });

  test('and renewed says for which period, with its order', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-02-01T10:00:00.000Z');
    const [{ data }] = await eventBodies(app, merchant.id, 'subscription.renewed');
    const { customer_url: _link, ...shape } = await show(merchant.test, subscription.id);
    expect(data).toEqual({
      ...shape,
      period: {
        id: anId(),
        order_number: 'ORD-000002',
        status: 'pending',
        total_amount_cents: 1000,
        items: [{ name: 'Newsletter', price_cents: 1000, qty: 1 }],
        billing_period_start: '2027-02-01T10:00:00.000Z',
        billing_period_end: '2027-03-01T10:00:00.000Z',
      },
    });
  });

  test('also when the clock is put back and forth over the day', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    for (const moment of [
      '2027-02-01T10:00:00Z',
      '2027-01-31T10:00:00Z',
      '2027-01-05T00:00:00Z',
      '2027-02-02T10:00:00Z',
    ]) {
      await goTo(app, moment);
    }
    expect(await ordersOf(app, subscription)).toHaveLength(2);
    expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'renewed']);
    expect((await show(merchant.test, subscription.id)).next_billing_at).toBe('2027-03-01T10:00:00.000Z');
  });
});

describe('a trial (case C107)', () => {
  const trial = { trial_days: 7, first_charge_cents: 200 };

  test('that is cancelled charges nothing', async () => {
    const subscription = await subscribe(app, merchant.test, trial);
    await goTo(app, '2027-01-07T09:00:00.000Z');
    await call(subscription.id, 'cancel');
    await goTo(app, '2027-03-01T00:00:00.000Z');
    expect(await ordersOf(app, subscription)).toEqual([]);
    expect(await kinds(subscription.id)).toEqual(['created', 'trial_will_end', 'cancelled']);
  });

  test('that is left alone is announced to end once, and then charged', async () => {
    const subscription = await subscribe(app, merchant.test, trial);
    expect(subscription).toMatchObject({ status: 'trialing', trial_ends_at: '2027-01-08T10:00:00.000Z' });
    await goTo(app, '2027-01-05T09:59:59.000Z');
    expect(await kinds(subscription.id)).toEqual(['created']);
    for (const moment of ['2027-01-05T10:00:00Z', '2027-01-05T10:00:01Z', '2027-01-06T00:00:00Z'])
      await goTo(app, moment);
    expect(await kinds(subscription.id)).toEqual(['created', 'trial_will_end']);
    await goTo(app, '2027-01-08T10:00:00.000Z');
    expect(await kinds(subscription.id)).toEqual(['created', 'trial_will_end', 'activated']);
    expect(await ordersOf(app, subscription)).toMatchObject([{ total_amount_cents: 200, status: 'pending' }]);
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-02-08T10:00:00.000Z');
    expect((await ordersOf(app, subscription))[1]).toMatchObject({ total_amount_cents: 1000 });
  });

  test('whose first order is unpaid when it is cancelled takes the order with it', async () => {
    const subscription = await subscribe(app, merchant.test, trial);
    await goTo(app, '2027-01-08T10:00:00.000Z');
    const [{ id } = { id: '' }] = await ordersOf(app, subscription);
    const paid = await act(app, subscription, 'pay');
    const bolt11 = paid.body.invoice.payment_request;
    app.clock.advanceSeconds(600);
    await call(subscription.id, 'cancel');
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'cancelled' }]);
    await goTo(app, '2027-06-01T00:00:00.000Z');
    expect(await ordersOf(app, subscription)).toHaveLength(1);
    // Money that was on its way is recorded, and a person is told; nothing starts anew.
    const [invoice] = await app.rows<{ id: string }>('select id from invoices where bolt11 = $1', [bolt11]);
    await merchant.test.post(`/api/v1/m/invoices/${invoice!.id}/simulate_payment`);
    expect((await merchant.test.get(`/api/v1/m/orders/${id}`)).body).toMatchObject({
      status: 'cancelled',
      attention: 'paid_after_cancel',
    });
    expect(await statusOf(subscription)).toBe('cancelled');
  });

  test('of less than three days is announced at once, and one that ended while the service was down is not', async () => {
    const short = await subscribe(app, merchant.test, { trial_days: 2 });
    const missed = await subscribe(app, merchant.test, { trial_days: 10 });
    await app.rows('update subscriptions set look_at = null where id = $1', [missed.id]);
    await runBilling(app);
    expect(await kinds(short.id)).toEqual(['created', 'trial_will_end']);
    await app.rows('update subscriptions set look_at = $2 where id = $1', [missed.id, app.clock.now()]);
    await goTo(app, '2027-01-20T10:00:00.000Z');
    expect(await kinds(missed.id)).toEqual(['created', 'activated']);
  });
});

describe('an unpaid period (case C108)', () => {
  test('is past due after three days, ends after fourteen more, and is told of once', async () => {
    const subscription = await subscribe(app, merchant.test);
    await goTo(app, '2027-01-04T09:59:59.000Z');
    expect(await statusOf(subscription)).toBe('active');
    await goTo(app, '2027-01-04T10:00:00.000Z');
    expect(await statusOf(subscription)).toBe('past_due');
    const [{ data }] = await eventBodies(app, merchant.id, 'subscription.past_due');
    expect(data).toMatchObject({
      status: 'past_due',
      period: { status: 'pending', billing_period_start: '2027-01-01T10:00:00.000Z' },
    });
    await goTo(app, '2027-01-18T09:59:59.000Z');
    expect(await statusOf(subscription)).toBe('past_due');
    await goTo(app, '2027-01-18T10:00:00.000Z');
    expect(await statusOf(subscription)).toBe('cancelled');
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'cancelled' }]);
    expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'past_due', 'cancelled']);
  });

  test('that is paid late makes it active again, on its old days, each time', async () => {
    const subscription = await subscribe(app, merchant.test);
    await goTo(app, '2027-01-10T00:00:00.000Z');
    await pay(app, merchant.test, subscription);
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      next_billing_at: '2027-02-01T10:00:00.000Z',
    });
    const months = [
      ['past_due', 'activated'],
      ['renewed', 'past_due', 'activated'],
    ];
    expect((await kinds(subscription.id)).slice(2)).toEqual(months[0]);
    await goTo(app, '2027-02-01T10:00:00.000Z');
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'paid' }, { status: 'pending' }]);
    await goTo(app, '2027-02-10T00:00:00.000Z');
    await pay(app, merchant.test, subscription);
    expect((await kinds(subscription.id)).slice(2)).toEqual(months.flat());
  });

  test('that ends a little late, because the job was busy, ends all the same', async () => {
    const subscription = await subscribe(app, merchant.test);
    await goTo(app, '2027-01-04T10:00:00.000Z');
    await goTo(app, '2027-01-18T11:00:00.000Z');
    expect(await statusOf(subscription)).toBe('cancelled');
  });

  test('has one payable order, however often the customer opens it; a second payment is a matter of that order', async () => {
    const subscription = await subscribe(app, merchant.test);
    const first = await act(app, subscription, 'pay');
    app.clock.advanceSeconds(1000);
    const second = await act(app, subscription, 'pay');
    expect(second.body.invoice.payment_request).not.toBe(first.body.invoice.payment_request);
    const orders = await ordersOf(app, subscription);
    expect(orders).toHaveLength(1);
    for (const { id } of await app.rows<{ id: string }>('select id from invoices where order_id = $1', [
      orders[0]!.id,
    ])) {
      await merchant.test.post(`/api/v1/m/invoices/${id}/simulate_payment`);
    }
    expect((await merchant.test.get(`/api/v1/m/orders/${orders[0]!.id}`)).body).toMatchObject({
      status: 'paid',
      attention: 'overpaid',
    });
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      next_billing_at: '2027-02-01T10:00:00.000Z',
    });
  });

  test('holds up the next ones; when it is paid, only the one that runs is billed', async () => {
    const subscription = await subscribe(app, merchant.test, { interval_unit: 'week' });
    await goTo(app, '2027-01-16T00:00:00.000Z');
    expect(await ordersOf(app, subscription)).toHaveLength(1);
    await pay(app, merchant.test, subscription);
    await runBilling(app);
    expect((await ordersOf(app, subscription)).map(({ starts_at }) => starts_at.toISOString())).toEqual([
      '2027-01-01T10:00:00.000Z',
      '2027-01-15T10:00:00.000Z',
    ]);
  });

  test('three periods without the service bring one order, for the period that runs', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-04-20T00:00:00.000Z');
    expect((await ordersOf(app, subscription)).map(({ starts_at }) => starts_at.toISOString().slice(0, 10))).toEqual([
      '2027-01-01',
      '2027-04-01',
    ]);
    // Billed late, but as long to pay as always.
    await goTo(app, '2027-04-22T00:00:00.000Z');
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      next_billing_at: '2027-05-01T10:00:00.000Z',
    });
    await goTo(app, '2027-04-23T00:00:00.000Z');
    expect(await statusOf(subscription)).toBe('past_due');
  });

  test('whose order the merchant takes back is forgiven', async () => {
    const subscription = await subscribe(app, merchant.test);
    await goTo(app, '2027-01-10T00:00:00.000Z');
    const [order] = await ordersOf(app, subscription);
    expect((await merchant.test.delete(`/api/v1/m/orders/${order!.id}`)).status).toBe(204);
    expect(await statusOf(subscription)).toBe('active');
    await goTo(app, '2027-02-01T10:00:00.000Z');
    expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'cancelled' }, { status: 'pending' }]);
  });
});

describe('pause and resume', () => {
  test('across a renewal: what began meanwhile is not charged, and the days stay', async () => {
    const subscription = await subscribe(app, merchant.test, { starts_on: '2027-01-31' });
    await goTo(app, '2027-01-31T00:00:00.000Z');
    await pay(app, merchant.test, subscription);
    await goTo(app, '2027-02-10T00:00:00.000Z');
    const paused = await call(subscription.id, 'pause');
    expect(paused.body).toMatchObject({ status: 'paused', paused_at: '2027-02-10T00:00:00.000Z' });
    expect((await call(subscription.id, 'pause')).body).toEqual(paused.body);
    await goTo(app, '2027-04-10T00:00:00.000Z');
    expect(await ordersOf(app, subscription)).toHaveLength(1);
    const resumed = await call(subscription.id, 'resume');
    expect(resumed.body).toMatchObject({
      status: 'active',
      paused_at: null,
      current_period_start: '2027-03-31T00:00:00.000Z',
      current_period_end: '2027-04-30T00:00:00.000Z',
      next_billing_at: '2027-04-30T00:00:00.000Z',
    });
    await goTo(app, '2027-04-30T00:00:00.000Z');
    expect((await ordersOf(app, subscription)).map(({ starts_at }) => starts_at.toISOString().slice(0, 10))).toEqual([
      '2027-01-31',
      '2027-04-30',
    ]);
    expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'paused', 'resumed', 'renewed']);
  });

  test('within a period changes nothing, as often as one likes', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    const before = await show(merchant.test, subscription.id);
    for (const day of ['05', '06']) {
      app.clock.set(new Date(`2027-01-${day}T00:00:00.000Z`));
      await call(subscription.id, 'pause');
      app.clock.advanceSeconds(3600);
      await call(subscription.id, 'resume');
    }
    expect(await show(merchant.test, subscription.id)).toEqual({ ...before, updated_at: '2027-01-06T01:00:00.000Z' });
    expect((await kinds(subscription.id)).slice(2)).toEqual(['paused', 'resumed', 'paused', 'resumed']);
  });

  test('an order that is open stays payable, and falls due anew', async () => {
    const subscription = await subscribe(app, merchant.test);
    await goTo(app, '2027-01-05T00:00:00.000Z');
    expect(await statusOf(subscription)).toBe('past_due');
    await call(subscription.id, 'pause');
    await goTo(app, '2027-01-28T00:00:00.000Z');
    expect(await statusOf(subscription)).toBe('paused');
    await call(subscription.id, 'resume');
    const dueAt = await app.rows('select due_at from subscription_periods where subscription_id = $1', [
      subscription.id,
    ]);
    expect(dueAt).toEqual([{ due_at: new Date('2027-01-28T00:00:00.000Z') }]);
    await goTo(app, '2027-01-30T23:59:59.000Z');
    expect(await statusOf(subscription)).toBe('active');
    await goTo(app, '2027-01-31T00:00:00.000Z');
    expect(await statusOf(subscription)).toBe('past_due');
    expect((await kinds(subscription.id)).filter((kind) => kind === 'past_due')).toHaveLength(2);
    await call(subscription.id, 'pause');
    await pay(app, merchant.test, subscription);
    expect(await statusOf(subscription)).toBe('paused');
  });

  test('within a trial changes nothing, and after one the subscription is active again', async () => {
    const subscription = await subscribe(app, merchant.test, { trial_days: 7 });
    for (const moment of ['2027-01-03T00:00:00.000Z', '2027-01-09T00:00:00.000Z']) {
      await goTo(app, moment);
      const before = await show(merchant.test, subscription.id);
      await call(subscription.id, 'pause');
      expect((await call(subscription.id, 'resume')).body).toEqual({ ...before, updated_at: moment });
    }
    expect(await statusOf(subscription)).toBe('active');
    expect(await ordersOf(app, subscription)).toHaveLength(1);
  });

  test('a trial that would have ended meanwhile ends when it is resumed', async () => {
    const subscription = await subscribe(app, merchant.test, { trial_days: 7 });
    await call(subscription.id, 'pause');
    await goTo(app, '2027-01-20T08:00:00.000Z');
    await call(subscription.id, 'resume');
    await runBilling(app);
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      current_period_start: '2027-01-20T08:00:00.000Z',
      current_period_end: '2027-02-20T08:00:00.000Z',
    });
    expect(await ordersOf(app, subscription)).toHaveLength(1);
  });
});

describe('cancelling', () => {
  test('at the end of the period charges nothing more', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    const reply = await call(subscription.id, 'cancel', { at_period_end: true });
    expect(reply.body).toMatchObject({ status: 'active', cancel_at_period_end: true, cancelled_at: null });
    await goTo(app, '2027-02-01T10:00:00.000Z');
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'cancelled',
      cancelled_at: '2027-02-01T10:00:00.000Z',
      next_billing_at: null,
    });
    expect(await ordersOf(app, subscription)).toHaveLength(1);
    expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'cancelled']);
  });

  test('at the end of a period that is over before a pause is ended at the resume', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    await call(subscription.id, 'cancel', { at_period_end: true });
    await call(subscription.id, 'pause');
    await goTo(app, '2027-02-20T00:00:00.000Z');
    await call(subscription.id, 'resume');
    await runBilling(app);
    expect(await statusOf(subscription)).toBe('cancelled');
    expect(await ordersOf(app, subscription)).toHaveLength(1);
  });

  test('now, after it was to end later, and twice, is cancelled once', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    await call(subscription.id, 'cancel', { at_period_end: true });
    const ended = await call(subscription.id, 'cancel');
    expect(ended.body.status).toBe('cancelled');
    expect((await call(subscription.id, 'cancel')).body).toEqual(ended.body);
    expect((await kinds(subscription.id)).filter((kind) => kind === 'cancelled')).toHaveLength(1);
  });

  test('by the customer: what is paid for goes on to its end, what is not ends at once', async () => {
    const paid = await subscribe(app, merchant.test);
    await pay(app, merchant.test, paid);
    await act(app, paid, 'cancel');
    expect(await show(merchant.test, paid.id)).toMatchObject({ status: 'active', cancel_at_period_end: true });
    const unpaid = await subscribe(app, merchant.test);
    await act(app, unpaid, 'cancel');
    expect(await statusOf(unpaid)).toBe('cancelled');
    const trial = await subscribe(app, merchant.test, { trial_days: 30 });
    await act(app, trial, 'cancel');
    for (const moment of ['2027-01-29T10:00:00.000Z', '2027-01-31T10:00:00.000Z']) await goTo(app, moment);
    expect(await statusOf(trial)).toBe('cancelled');
    expect(await ordersOf(app, trial)).toEqual([]);
    expect(await kinds(trial.id)).toEqual(['created', 'cancelled']);
  });

  test('while it is paused ends it at once, for there is no period to wait for', async () => {
    const subscription = await subscribe(app, merchant.test);
    await pay(app, merchant.test, subscription);
    await call(subscription.id, 'pause');
    expect((await call(subscription.id, 'cancel', { at_period_end: true })).body).toMatchObject({
      status: 'cancelled',
      paused_at: null,
    });
  });

  test.skipIf(!onPostgres)(
    'by a customer whose payment arrives meanwhile leaves them what they paid for (PostgreSQL)',
    async () => {
      const subscription = await subscribe(app, merchant.test);
      const gate = new Gate();
      const parts = { ...app.parts, db: pauseBefore(app.parts.db, 'orders_lock', gate) };
      const link = new URL(subscription.customer_url).pathname.split('/').at(-1)!;
      const { subscription: seen } = (await readCustomerView(app.parts, link))!;
      const cancelling = cancelByLink(parts, seen);
      await gate.reached;
      await pay(app, merchant.test, subscription);
      gate.goOn();
      await cancelling;
      expect(await show(merchant.test, subscription.id)).toMatchObject({
        status: 'active',
        cancel_at_period_end: true,
      });
      expect((await ordersOf(app, subscription))[0]!.status).toBe('paid');
    },
  );

  test('and paying at the same moment end in a paid order or a cancelled one, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const subscription = await subscribe(app, merchant.test);
      const opened = await act(app, subscription, 'pay');
      const [invoice] = await app.rows<{ id: string }>('select id from invoices where bolt11 = $1', [
        opened.body.invoice.payment_request,
      ]);
      const [paid, cancelled] = await Promise.all([
        merchant.test.post(`/api/v1/m/invoices/${invoice!.id}/simulate_payment`),
        call(subscription.id, 'cancel'),
      ]);
      expect([paid.status, cancelled.status]).toEqual([200, 200]);
      expect(await statusOf(subscription)).toBe('cancelled');
      const [order] = await ordersOf(app, subscription);
      const { attention } = (await merchant.test.get(`/api/v1/m/orders/${order!.id}`)).body;
      expect([order!.status, attention]).toEqual(
        order!.status === 'paid' ? ['paid', null] : ['cancelled', 'paid_after_cancel'],
      );
    }
  });
});

test('the job does by itself what is due, and stops when it is asked', async () => {
  const subscription = await subscribe(app, merchant.test);
  await pay(app, merchant.test, subscription);
  app.clock.set(new Date('2027-02-01T10:00:00.000Z'));
  const job = billSubscriptions(app.parts);
  await until(async () => (await ordersOf(app, subscription)).length === 2, 20_000);
  await job.stop();
});

test('one that cannot be worked on waits, and holds up nobody', async () => {
  const [broken, sound] = [await subscribe(app, merchant.test), await subscribe(app, merchant.test)];
  for (const subscription of [broken, sound]) await pay(app, merchant.test, subscription);
  await app.rows(`update subscriptions set time_zone = 'Nowhere/Else' where id = $1`, [broken.id]);
  await goTo(app, '2027-02-01T10:00:00.000Z');
  expect(await ordersOf(app, broken)).toHaveLength(1);
  expect(await ordersOf(app, sound)).toHaveLength(2);
  await app.rows(`update subscriptions set time_zone = 'UTC' where id = $1`, [broken.id]);
  await runBilling(app);
  expect(await ordersOf(app, broken)).toHaveLength(1);
  app.clock.advanceSeconds(300);
  await runBilling(app);
  expect(await ordersOf(app, broken)).toHaveLength(2);
});

test('one that is looked at before anything is due is left alone until then', async () => {
  const subscription = await subscribe(app, merchant.test);
  await pay(app, merchant.test, subscription);
  await app.rows('update subscriptions set look_at = $2 where id = $1', [subscription.id, app.clock.now()]);
  await runBilling(app);
  const looks = await app.rows('select look_at from subscriptions where id = $1', [subscription.id]);
  expect(looks).toEqual([{ look_at: new Date('2027-02-01T10:00:00.000Z') }]);
});

test('a period may be paid in cash', async () => {
  const subscription = await subscribe(app, merchant.test);
  const [order] = await ordersOf(app, subscription);
  const change = { order: { tender_type: 'cash', status: 'paid' } };
  expect((await merchant.test.patch(`/api/v1/m/orders/${order!.id}`, change)).status).toBe(200);
  await goTo(app, '2027-02-01T10:00:00.000Z');
  expect(await ordersOf(app, subscription)).toMatchObject([{ status: 'paid' }, { status: 'pending' }]);
});

test('a merchant that is not active takes no subscribers and no payments', async () => {
  const invited = await invite(merchant.test);
  const subscription = await subscribe(app, merchant.test);
  await app.rows(`update merchants set status = 'suspended' where id = $1`, [merchant.id]);
  const message = 'Test Shop cannot take payments now';
  expectError(await act(app, invited, 'accept'), 'forbidden', { message });
  expectError(await act(app, subscription, 'pay'), 'forbidden', { message });
  expect((await act(app, subscription, 'cancel')).body.status).toBe('cancelled');
});

test('subscriptions of a merchant that is not active stand still, and go on with the period that runs', async () => {
  const subscription = await subscribe(app, merchant.test);
  await pay(app, merchant.test, subscription);
  await app.rows(`update merchants set status = 'suspended' where id = $1`, [merchant.id]);
  await goTo(app, '2027-03-05T00:00:00.000Z');
  expect(await ordersOf(app, subscription)).toHaveLength(1);
  await app.rows(`update merchants set status = 'active' where id = $1`, [merchant.id]);
  await runBilling(app);
  expect((await ordersOf(app, subscription))[1]!.starts_at.toISOString()).toBe('2027-03-01T10:00:00.000Z');
});

test('a customer who could not pay while the merchant was not active has the usual days afterwards', async () => {
  const owing = await subscribe(app, merchant.test);
  const late = await subscribe(app, merchant.test);
  await app.rows(`update subscription_periods set due_at = due_at - interval '5 days' where subscription_id = $1`, [
    late.id,
  ]);
  await app.rows('update subscriptions set look_at = $2 where id = $1', [late.id, app.clock.now()]);
  await runBilling(app);
  expect(await statusOf(late)).toBe('past_due');
  expect(await changeMerchantStatus(app.parts, merchant.id, 'suspended')).toBe('active');
  await goTo(app, '2027-01-25T10:00:00.000Z');
  expect(await changeMerchantStatus(app.parts, merchant.id, 'active')).toBe('suspended');
  await runBilling(app);
  expect([await statusOf(owing), await statusOf(late)]).toEqual(['active', 'past_due']);
  await goTo(app, '2027-01-28T10:00:00.000Z');
  expect(await statusOf(owing)).toBe('past_due');
  await pay(app, merchant.test, owing);
  expect(await statusOf(owing)).toBe('active');
  await goTo(app, '2027-02-08T09:59:59.000Z');
  expect(await statusOf(late)).toBe('past_due');
  await goTo(app, '2027-02-08T10:00:00.000Z');
  expect(await statusOf(late)).toBe('cancelled');
});

test('a customer who is told late, after a downtime, that they are late has all days until the end', async () => {
  const subscription = await subscribe(app, merchant.test);
  await goTo(app, '2027-01-25T10:00:00.000Z');
  expect(await statusOf(subscription)).toBe('past_due');
  await goTo(app, '2027-02-08T09:59:59.000Z');
  expect(await statusOf(subscription)).toBe('past_due');
  await goTo(app, '2027-02-08T10:00:00.000Z');
  expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'past_due', 'cancelled']);
});

test('a customer who was past due when the service went down has all days until the end after its return', async () => {
  const subscription = await subscribe(app, merchant.test);
  await goTo(app, '2027-01-05T10:00:00.000Z');
  expect(await statusOf(subscription)).toBe('past_due');
  await goTo(app, '2027-02-05T10:00:00.000Z');
  expect(await statusOf(subscription)).toBe('past_due');
  await goTo(app, '2027-02-19T09:59:59.000Z');
  expect(await statusOf(subscription)).toBe('past_due');
  await goTo(app, '2027-02-19T10:00:00.000Z');
  expect(await kinds(subscription.id)).toEqual(['created', 'activated', 'past_due', 'cancelled']);
});

test('an order that waits for the end of its last period ends with it also after a downtime', async () => {
  const subscription = await subscribe(app, merchant.test);
  await goTo(app, '2027-01-05T10:00:00.000Z');
  await call(subscription.id, 'cancel', { at_period_end: true });
  await goTo(app, '2027-02-05T10:00:00.000Z');
  expect(await statusOf(subscription)).toBe('cancelled');
});

test.runIf(onPostgres)('a merchant is let in again also while a period is being billed', async () => {
  const subscription = await subscribe(app, merchant.test);
  await changeMerchantStatus(app.parts, merchant.id, 'suspended');
  const gate = new Gate();
  const parts = { ...app.parts, db: pauseBefore(app.parts.db, 'orders_lock', gate) };
  const activating = changeMerchantStatus(parts, merchant.id, 'active');
  await gate.reached;
  // A job that had read what is due before the suspension.
  await app.rows(`update merchants set status = 'active' where id = $1`, [merchant.id]);
  await pay(app, merchant.test, subscription);
  await goTo(app, '2027-02-01T10:00:00.000Z');
  await app.rows(`update merchants set status = 'suspended' where id = $1`, [merchant.id]);
  gate.goOn();
  expect(await activating).toBe('suspended');
  expect(await ordersOf(app, subscription)).toHaveLength(2);
});

describe('the test clock', () => {
  const advance = (seconds: unknown) => merchant.test.post('/api/v1/m/test_clock/advance', { seconds });
  const day = 86_400;

  test('moves subscriptions through everything that the time would have brought', async () => {
    const subscription = await subscribe(app, merchant.test, { trial_days: 7 });
    expect((await advance(7 * day)).body).toEqual({
      object: 'test_clock',
      livemode: false,
      now: '2027-01-08T10:00:00.000Z',
      offset_seconds: 7 * day,
    });
    expect(await kinds(subscription.id)).toEqual(['created', 'trial_will_end', 'activated']);
    await pay(app, merchant.test, subscription);
    expect((await advance(31 * day)).body.now).toBe('2027-02-08T10:00:00.000Z');
    expect(await show(merchant.test, subscription.id)).toMatchObject({
      status: 'active',
      current_period_start: '2027-02-08T10:00:00.000Z',
      current_period_end: '2027-03-08T10:00:00.000Z',
    });
    await advance(60 * day);
    expect(await kinds(subscription.id)).toEqual([
      'created',
      'trial_will_end',
      'activated',
      'renewed',
      'past_due',
      'cancelled',
    ]);
    expect((await show(merchant.test, subscription.id)).cancelled_at).toBe('2027-02-25T10:00:00.000Z');
    // What is made afterwards lives in the new present, and the job agrees with it.
    const later = await subscribe(app, merchant.test);
    expect(later.accepted_at).toBe('2027-04-09T10:00:00.000Z');
    await runBilling(app);
    expect(await ordersOf(app, later)).toHaveLength(1);
    app.clock.advanceSeconds(3 * day);
    await runBilling(app);
    expect(await statusOf(later)).toBe('past_due');
    expect((await call(later.id, 'pause')).body.paused_at).toBe('2027-04-12T10:00:00.000Z');
  });

  test('a year at once renews what is free month by month', async () => {
    const subscription = await subscribe(app, merchant.test, { bitcoin_discount_percent: '100' });
    await advance(365 * day);
    expect(await ordersOf(app, subscription)).toHaveLength(13);
  });

  test('takes the time off open invoices', async () => {
    const subscription = await subscribe(app, merchant.test);
    const { invoice } = (await act(app, subscription, 'pay')).body;
    await advance(600);
    expect((await customerPage(app, subscription)).body.invoice).toMatchObject({
      payment_request: invoice.payment_request,
      time_remaining: 300,
    });
    await advance(300);
    expect((await customerPage(app, subscription)).body.invoice).toBeNull();
  });

  test('moves nobody else’s time and nothing live', async () => {
    const other = await app.newMerchant();
    const theirs = await subscribe(app, other.test, { trial_days: 7 });
    const live = await subscribe(app, merchant.live, { trial_days: 7 });
    await advance(30 * day);
    await runBilling(app);
    expect((await show(other.test, theirs.id)).status).toBe('trialing');
    expect((await show(merchant.live, live.id)).status).toBe('trialing');
  });

  test('is for test keys, goes forward only and not too far', async () => {
    const before = await app.rows('select * from test_clocks');
    const live = await merchant.live.post('/api/v1/m/test_clock/advance', { seconds: 1 });
    expectError(live, 'forbidden', { message: 'Only a test key can do this' });
    expectError(await app.stranger.post('/api/v1/m/test_clock/advance', { seconds: 1 }), 'missing_token');
    expectError(await merchant.publishable.post('/api/v1/m/test_clock/advance', { seconds: 1 }), 'forbidden');
    for (const [seconds, sentence] of [
      [undefined, 'seconds is required'],
      [0, 'seconds must be at least 1'],
      [-5, 'seconds must be at least 1'],
      ['5', 'seconds must be a whole number'],
      [401 * day, `seconds must be at most ${400 * day}`],
    ] as const) {
      expectError(await advance(seconds), 'validation_error', { details: [sentence] });
    }
    expect(await app.rows('select * from test_clocks')).toEqual(before);
  });
});
