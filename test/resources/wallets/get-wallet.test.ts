import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/wallets';
const now = '2027-03-01T10:00:00.000Z';

describeRefusals(() => app, {
  method: 'GET',
  path: (id) => `${path}/${id}`,
  permission: 'wallets:read',
  resource: 'Wallet',
  make: (merchant) => testWalletId(app, merchant),
  makeLive: (merchant) =>
    addWallet(app, merchant, { livemode: true, connection: 'lightning_address', lightning_address: 'a@b.test' }),
});

test('shows every member, its health among them', async () => {
  const merchant = await app.newMerchant();
  const id = await testWalletId(app, merchant);
  const { body: list } = await merchant.test.get(path);
  const reply = await merchant.test.get(`${path}/${id}`);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    ...list.data[0],
    last_checked_at: null,
    last_transaction_at: null,
    last_error: null,
    consecutive_failures: 0,
    notes: [],
    takes_preimages: false,
    simulation: { fail: false, delay_ms: 0, hold: false, pay_after_seconds: null },
  });
});

test('never shows what the merchant’s own settings and credentials hold', async () => {
  const merchant = await app.newMerchant();
  const members = { credentials: Buffer.from('secret'), settings: { fail: true } };
  const id = await addWallet(app, merchant, { connection: 'phoenixd', ...members });
  const text = JSON.stringify((await merchant.test.get(`${path}/${id}`)).body);
  expect(text).not.toMatch(
    /secret|credentials|settings|simulation|fail"|display_name|status_color|next_payment_address/,
  );
});

test('counts failures in a row, and stops being operational at the fifth, until a success', async () => {
  const merchant = await app.newMerchant();
  const id = await testWalletId(app, merchant);
  await changeWallet(app, id, { settings: { fail: true } });
  const ask = () => merchant.test.post('/api/v1/m/orders', orderBody({}, { generate_invoice: true }));
  const read = async () => (await merchant.test.get(`${path}/${id}`)).body;
  for (let failures = 1; failures <= 5; failures++) {
    expect((await ask()).status).toBe(503);
    expect(await read()).toMatchObject({
      consecutive_failures: failures,
      last_checked_at: now,
      operational: failures < 5,
      status: 'active',
      enabled: true,
    });
  }
  expect((await read()).last_error).toBe('The simulated wallet is set to fail.');
  // The breaker is open: the wallet is not asked.
  expect((await ask()).status).toBe(503);
  expect((await read()).consecutive_failures).toBe(5);
  await changeWallet(app, id, { settings: {} });
  await app.rows(`update wallets set broken_until = clock_timestamp() - interval '1 second' where id = $1`, [id]);
  expect((await ask()).status).toBe(201);
  await expect
    .poll(read)
    .toMatchObject({ consecutive_failures: 0, last_error: null, operational: true, last_checked_at: now });
});
