import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { type AppWithWallets, FakeWallet, withWallets } from '../harness/fake-wallet.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';

let app: TestApp;
let faked: AppWithWallets;
let wallet: FakeWallet;
let client: Client;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  wallet = new FakeWallet(app.clock);
  faked = await withWallets(app, () => wallet.connector);
  client = faked.client(await app.newMerchant());
});
afterEach(async () => {
  await faked.close();
  await expectLedgerToHold(app);
});
afterAll(() => app.close());

async function sell(): Promise<{ id: string; invoice: { payment_hash: string } }> {
  const reply = await client.post('/api/v1/m/orders', orderBody({}, { generate_invoice: true }));
  expect(reply.status).toBe(201);
  return reply.body;
}
const isPaid = async (id: string) => (await client.get(`/api/v1/m/orders/${id}`)).body.status === 'paid';

test('a clock that is set back while the watcher runs puts no look off', async () => {
  const looked = await sell();
  faked.watch();
  app.clock.advanceSeconds(30);
  await until(() => wallet.lookedUp.length > 0);
  const fresh = await sell();
  app.clock.advanceSeconds(-3600);
  for (const { invoice } of [looked, fresh]) wallet.pay(invoice.payment_hash);
  await until(() => isPaid(looked.id));
  await until(() => isPaid(fresh.id));
});

test('nor does one that was set back before the watcher started', async () => {
  const { id, invoice } = await sell();
  app.clock.advanceSeconds(-3600);
  wallet.pay(invoice.payment_hash);
  faked.watch();
  await until(() => isPaid(id));
});
