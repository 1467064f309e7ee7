import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { expectInvalid } from '../../harness/expect.ts';
import { createOrderWithInvoice } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app.close());

const path = '/api/v1/m/merchant';

describeRefusals(() => app, {
  method: 'PATCH',
  path: () => path,
  body: () => ({ merchant: { name: 'New name' } }),
  permission: 'merchant:write',
});

const settings = {
  name: 'Aaron’s "Store" & Co',
  email: 'shop@example.org',
  phone: '+49 30 1234',
  business_license: 'HRB 1',
  time_zone: 'Europe/Berlin',
  currency: 'eur',
  logo_url: 'https://shop.example.com/logo.png',
  tip_options: [10, 15],
  pos_theme: 'dark',
  pos_enabled: false,
  privapaid_enabled: false,
  checkout_theme: 'dark',
  checkout_accent_color: '#112233',
  allowed_origins: ['https://shop.example.com'],
  conversion_fee_percent: '1.5',
};

test('sets every setting, shows it in both modes, and leaves out what is not named', async () => {
  const merchant = await app.newMerchant();
  const reply = await merchant.test.patch(path, { merchant: settings });
  expect(reply.status).toBe(200);
  expect(reply.body).toMatchObject(settings);
  expect((await merchant.live.get(path)).body).toMatchObject({ ...settings, livemode: true });
  await merchant.test.patch(path, { merchant: { phone: null } });
  expect((await merchant.test.get(path)).body).toMatchObject({ ...settings, phone: null });
});

test('a time zone is kept in its usual spelling, also one that Node knows by another name', async () => {
  const merchant = await app.newMerchant();
  for (const [typed, name] of [
    ['europe/berlin', 'Europe/Berlin'],
    ['utc', 'UTC'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
  ]) {
    const { body } = await merchant.test.patch(path, { merchant: { time_zone: typed } });
    expect(body.time_zone).toBe(name);
  }
});

test('the currency and the conversion fee count for the next order', async () => {
  const merchant = await app.newMerchant();
  await merchant.test.patch(path, { merchant: { currency: 'EUR', conversion_fee_percent: '2' } });
  const order = await createOrderWithInvoice(merchant.test, { currency: undefined, total_amount_cents: 8600 });
  expect(order.currency).toBe('eur');
  // 87.72 euros at 86,000 euros a bitcoin.
  expect(order.total_amount_sats).toBe(102_000);
  expect(order.invoice.amount_sats).toBe(102_000);
});

test.each([
  ['time_zone', 'Mars/Olympus', /^time_zone must be an IANA time zone/],
  ['time_zone', '+01:00', /^time_zone must be an IANA time zone/],
  ['currency', 'xyz', 'currency must be a known currency code'],
  ['checkout_accent_color', 'red;}body{display:none', /^checkout_accent_color must/],
  ['logo_url', 'javascript:alert(1)', 'logo_url must be an http(s) address'],
  ['allowed_origins', ['https://shop.example.com/path'], /^allowed_origins\[0\] must be an origin/],
  ['allowed_origins', ['https://a.example', 'https://*.example.com'], /^allowed_origins\[1\] must be an origin/],
  ['allowed_origins', ['https://shop.example;frame-src'], /^allowed_origins\[0\] must be an origin/],
  ['conversion_fee_percent', '-1', /^conversion_fee_percent must be a decimal from 0 to 100/],
  ['conversion_fee_percent', '1e2', /^conversion_fee_percent must be a decimal from 0 to 100/],
  ['name', '', 'name must not be empty'],
  ['pos_enabled', 'false', 'pos_enabled must be true or false'],
])('refuses %s %j and changes nothing', async (name, value, sentence) => {
  const merchant = await app.newMerchant();
  const before = (await merchant.test.get(path)).body;
  expectInvalid(await merchant.test.patch(path, { merchant: { phone: '1', [name]: value } }), sentence);
  expect((await merchant.test.get(path)).body).toEqual(before);
});
