import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectError } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/merchant';
const now = '2027-03-01T10:00:00.000Z';

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'merchant:read' });

test('shows every member, with the wallets of the key’s mode', async () => {
  const merchant = await app.newMerchant();
  const { body: wallets } = await merchant.test.get('/api/v1/m/wallets');
  const reply = await merchant.test.get(path);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    object: 'merchant',
    livemode: false,
    id: merchant.id,
    name: 'Test Shop',
    email: 'shop@example.com',
    phone: null,
    business_license: null,
    status: 'active',
    time_zone: 'UTC',
    currency: 'usd',
    logo_url: null,
    tip_options: [],
    pos_theme: 'light',
    pos_enabled: true,
    privapaid_enabled: true,
    checkout_theme: 'auto',
    checkout_accent_color: '#f7931a',
    allowed_origins: [],
    conversion_fee_percent: '0.0',
    channels: [],
    wallets: wallets.data,
    taxes: [],
    created_at: now,
    updated_at: now,
  });
  expect(wallets.data).toHaveLength(1);
  expect((await merchant.live.get(path)).body).toEqual({ ...reply.body, livemode: true, wallets: [] });
});

test('lists wallets in their line', async () => {
  const merchant = await app.newMerchant();
  await addWallet(app, merchant, { position: 0, name: 'First' });
  const { body } = await merchant.test.get(path);
  expect(body.wallets.map((wallet: { name: string }) => wallet.name)).toEqual(['First', 'Simulated test wallet']);
});

test('shows the fee as a plain decimal', async () => {
  const merchant = await app.newMerchant();
  await app.rows('update merchants set conversion_fee_percent = 2.5 where id = $1', [merchant.id]);
  expect((await merchant.test.get(path)).body.conversion_fee_percent).toBe('2.5');
});

test('is refused while the merchant is not active', async () => {
  for (const status of ['suspended', 'pending']) {
    const merchant = await app.newMerchant();
    await app.rows('update merchants set status = $2 where id = $1', [merchant.id, status]);
    expectError(await merchant.test.get(path), 'forbidden', { message: new RegExp(`This merchant is ${status}`) });
  }
});
