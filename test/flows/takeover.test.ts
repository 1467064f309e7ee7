import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { InvoiceRequest } from '../../src/lightning/connector.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { type AppWithWallets, FakeWallet, gate, withWallets } from '../harness/fake-wallet.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';

/** A call with an Idempotency-Key whose process is lost in the middle: here it only comes back much too late. */
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

const sell = (key: string) =>
  client.post('/api/v1/m/orders', orderBody({ po_number: key }, { generate_invoice: true }), {
    'idempotency-key': key,
  });
const ordersOf = (key: string) => app.rows('select id from orders where po_number = $1', [key]);

/** The first call hangs at the wallet; its lease ran out `secondsAgo`. */
async function lost(key: string, secondsAgo: number) {
  const slow = gate((request: InvoiceRequest) => wallet.make(request));
  wallet.onCreate = slow.call;
  const first = sell(key);
  await until(() => wallet.created.length === 1);
  expect((await sell(key)).body.error.code).toBe('idempotency_in_progress');
  await app.rows(
    `update idempotency_keys set lease_until = clock_timestamp() - make_interval(secs => $2) where key = $1`,
    [key, secondsAgo],
  );
  wallet.onCreate = (request) => wallet.make(request);
  return { first, comeBack: slow.open };
}

test('the next call goes on with what was decided, and the lost one shows nothing when it comes back', async () => {
  const { first, comeBack } = await lost('goes on', 0);
  const second = await sell('goes on');
  expect(second.status).toBe(201);
  // The same reference, so that a wallet which can search finds what it made the first time.
  expect(wallet.created[1]!.ref).toBe(wallet.created[0]!.ref);
  comeBack();
  const late = await first;
  expect([late.status, late.body.error.code]).toEqual([409, 'idempotency_in_progress']);
  expect(await ordersOf('goes on')).toEqual([{ id: second.body.id }]);
  const again = await sell('goes on');
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([second.body, 'true']);
});

test('a call that was lost long ago is not gone on with: its rate is as old', async () => {
  const { first, comeBack } = await lost('anew', 16 * 60);
  const second = await sell('anew');
  expect(second.status).toBe(201);
  expect(wallet.created[1]!.ref).not.toBe(wallet.created[0]!.ref);
  comeBack();
  expect((await first).status).toBe(409);
  expect(await ordersOf('anew')).toEqual([{ id: second.body.id }]);
});
