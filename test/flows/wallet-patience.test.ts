import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { hang, hangForGood, late } from '../harness/fake-wallet.ts';
import { until } from '../harness/until.ts';
import { type FakeShop, openFakeShop } from './fake-shop.ts';

let app: TestApp;
const shops: FakeShop[] = [];
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(async () => {
  await Promise.all(shops.map((shop) => shop.close()));
  await app.close();
});

async function openShop(): Promise<FakeShop> {
  const shop = await openFakeShop(app);
  shops.push(shop);
  return shop;
}

// Real seconds: what is promised to a person at a till is measured, not faked. All wait at the same time.
describe.concurrent('how long a wallet is waited for', { timeout: 30_000 }, () => {
  test('each gets 3 s', async () => {
    const { connect, create } = await openShop();
    const { ids, fakes } = await connect({}, {}, {});
    fakes[0]!.onCreate = hangForGood;
    fakes[1]!.onCreate = hang;
    const begun = performance.now();
    const { status, body } = await create();
    const seconds = (performance.now() - begun) / 1000;
    expect([status, body.wallet_id]).toEqual([201, ids[2]]);
    expect(seconds).toBeGreaterThan(5.9);
    expect(seconds).toBeLessThan(7.5);
  });

  test('all together get 8 s', async () => {
    const { connect, create, health } = await openShop();
    const { ids, fakes } = await connect({}, {}, {});
    fakes[0]!.onCreate = hangForGood;
    fakes[1]!.onCreate = hang;
    fakes[2]!.onCreate = hangForGood;
    const begun = performance.now();
    const refused = await create({ po_number: 'nobody answers' });
    const seconds = (performance.now() - begun) / 1000;
    expect([refused.status, refused.body.error.code]).toEqual([503, 'wallet_unavailable']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(seconds).toBeGreaterThan(7.5);
    expect(seconds).toBeLessThan(9.5);
    // An order being created is not kept.
    expect(await app.rows(`select id from orders where po_number = 'nobody answers'`)).toEqual([]);
    await until(async () => (await health(ids[0]!)).consecutive_failures === 1);
  });

  test('the only wallet gets the whole budget; slow is not broken', async () => {
    const { connect, create, health } = await openShop();
    const { ids, fakes } = await connect({});
    fakes[0]!.onCreate = late(4000, (request) => fakes[0]!.make(request));
    expect((await create()).status).toBe(201);
    expect(await health(ids[0]!)).toMatchObject({ consecutive_failures: 0, operational: true, last_error: null });
  });

  test('a slow first wallet is left behind but not called broken', async () => {
    const { connect, create, health } = await openShop();
    const { ids, fakes } = await connect({}, {});
    fakes[0]!.onCreate = late(3600, (request) => fakes[0]!.make(request));
    const sales = await Promise.all(Array.from({ length: 6 }, () => create()));
    expect(sales.map(({ body }) => body.wallet_id)).toEqual(sales.map(() => ids[1]));
    await until(async () => (await health(ids[0]!)).last_checked_at !== null);
    expect(await health(ids[0]!)).toMatchObject({ consecutive_failures: 0, operational: true, last_error: null });
    // What it made too late was never shown.
    expect(await app.rows('select id from invoices where wallet_id = $1', [ids[0]])).toEqual([]);
  });
});
