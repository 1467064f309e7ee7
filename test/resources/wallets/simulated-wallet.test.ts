import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { orderBody } from '../../harness/orders.ts';
import { until } from '../../harness/until.ts';
import { addWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const path = '/api/v1/m/wallets';
const orders = '/api/v1/m/orders';
const quiet = { fail: false, delay_ms: 0, hold: false, pay_after_seconds: null };

async function openShop() {
  const merchant = await app.newMerchant();
  const walletPath = `${path}/${await testWalletId(app, merchant)}`;
  const simulate = (simulation: unknown) => merchant.test.patch(walletPath, { wallet: { simulation } });
  const order = () => merchant.test.post(orders, orderBody({}, { generate_invoice: true }));
  return { merchant, walletPath, simulate, order };
}

test('does what it was told, member by member', async () => {
  const { merchant, walletPath, simulate } = await openShop();
  expect((await merchant.test.get(walletPath)).body.simulation).toEqual(quiet);
  const told = { ...quiet, delay_ms: 20, pay_after_seconds: 5 };
  expect((await simulate({ delay_ms: 20, pay_after_seconds: 5 })).body.simulation).toEqual(told);
  expect((await simulate({ hold: true, fail: null })).body.simulation).toEqual({ ...told, hold: true });
  expect((await simulate(null)).body.simulation).toEqual({ ...told, hold: true });
  expect((await simulate(quiet)).body.simulation).toEqual(quiet);
  expect((await merchant.test.get(path)).body.data[0]).not.toHaveProperty('simulation');
});

test('fails every call, and takes orders again once it may', async () => {
  const { merchant, walletPath, simulate, order } = await openShop();
  await simulate({ fail: true });
  const refused = await order();
  expect([refused.status, refused.body.error.code]).toEqual([503, 'wallet_unavailable']);
  expect((await merchant.test.get(walletPath)).body).toMatchObject({
    consecutive_failures: 1,
    last_error: expect.stringContaining('set to fail'),
  });
  await simulate({ fail: false });
  expect((await order()).status).toBe(201);
});

test('holds a payment, which then arrives', async () => {
  const { merchant, simulate, order } = await openShop();
  await simulate({ hold: true });
  const { body } = await order();
  app.clock.advanceSeconds(60);
  await until(async () => {
    const [row] = await app.rows('select from invoices where id = $1 and held_at is not null', [body.invoice.id]);
    return row !== undefined;
  });
  expect((await merchant.test.get(`${orders}/${body.id}`)).body.status).toBe('pending');
  await simulate({ hold: false, pay_after_seconds: 0 });
  app.clock.advanceSeconds(60);
  await untilPaid(merchant, body.id);
});

test('pays by itself after a while', async () => {
  const { merchant, simulate, order } = await openShop();
  await simulate({ pay_after_seconds: 5 });
  const { body } = await order();
  expect((await merchant.test.get(`${orders}/${body.id}`)).body.status).toBe('pending');
  app.clock.advanceSeconds(60);
  await untilPaid(merchant, body.id);
});

test.each([
  [{ fail: 1 }, /simulation.fail/],
  [{ delay_ms: -1 }, /simulation.delay_ms/],
  [{ delay_ms: 60_001 }, /simulation.delay_ms/],
  [{ pay_after_seconds: 86_401 }, /simulation.pay_after_seconds/],
  [[], /simulation/],
])('refuses %j', async (simulation, fault) => {
  const { simulate } = await openShop();
  const { status, body } = await simulate(simulation);
  expect([status, body.error.code]).toEqual([422, 'validation_error']);
  expect(JSON.stringify(body.error)).toMatch(fault);
});

test('is the only one that can be told', async () => {
  const merchant = await app.newMerchant();
  const real = `${path}/${await addWallet(app, merchant, { connection: 'lightning_address', lightning_address: 'a@b.test' })}`;
  expect((await merchant.test.get(real)).body).not.toHaveProperty('simulation');
  const refused = await merchant.test.patch(real, { wallet: { simulation: { fail: true } } });
  expect([refused.status, refused.body.error.details]).toEqual([422, [expect.stringContaining('this one is real')]]);
});

function untilPaid(merchant: TestMerchant, orderId: string) {
  return until(async () => (await merchant.test.get(`${orders}/${orderId}`)).body.status === 'paid');
}
