import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { catalogBooks, createDiscount } from '../../harness/catalog.ts';
import { anId, expectError, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeNounRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/discounts';

describeNounRefusals(() => app, {
  path,
  body: () => ({ discount: { name: 'Sale', kind: 'fixed', amount_cents: 100 } }),
  permissions: 'catalog',
  resource: 'Discount',
  make: async ({ test }) => (await createDiscount(test)).id,
  makeLive: async ({ live }) => (await createDiscount(live)).id,
});

test('shows every member of a percentage', async () => {
  const { test: client } = await app.newMerchant();
  const reply = await client.post(path, {
    discount: {
      name: ' Spring ',
      code: ' Spring27 ',
      kind: 'percent',
      percent: '12.50',
      starts_at: '2027-03-01',
      ends_at: '2027-04-01T00:00:00+02:00',
    },
  });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'discount',
    livemode: false,
    id: anId(),
    name: 'Spring',
    code: 'Spring27',
    kind: 'percent',
    percent: '12.5',
    amount_cents: null,
    currency: null,
    enabled: true,
    starts_at: '2027-03-01T00:00:00.000Z',
    ends_at: '2027-03-31T22:00:00.000Z',
    created_at: '2027-03-01T10:00:00.000Z',
    updated_at: '2027-03-01T10:00:00.000Z',
  });
  expect((await client.get(`${path}/${reply.body.id}`)).body).toEqual(reply.body);
});

test('a fixed one is in the merchant’s currency unless said otherwise', async () => {
  const { test: client } = await app.newMerchant();
  const fixed = { kind: 'fixed', percent: null, amount_cents: 500 };
  const terms = { code: null, enabled: false, starts_at: null, ends_at: null };
  const plain = await createDiscount(client, { ...fixed, enabled: false });
  expect(plain).toMatchObject({ ...fixed, ...terms, currency: 'usd' });
  expect((await client.get(`${path}/${plain.id}`)).body).toEqual(plain);
  expect((await createDiscount(client, { ...fixed, currency: 'JPY' })).currency).toBe('jpy');
});

test('update changes what is sent and leaves the rest', async () => {
  const { test: client } = await app.newMerchant();
  const discount = await createDiscount(client, { code: 'A', starts_at: '2027-01-01', ends_at: '2028-01-01' });
  app.clock.advanceSeconds(1);
  const updated_at = app.clock.now().toISOString();
  const patch = async (members: unknown) => (await client.patch(`${path}/${discount.id}`, { discount: members })).body;
  expect(await patch({})).toEqual({ ...discount, updated_at });
  expect(await patch({ kind: null, enabled: null, code: 'a' })).toEqual({ ...discount, code: 'a', updated_at });
  const change = { name: 'Late', code: null, percent: '5.0', enabled: false, starts_at: null, ends_at: null };
  expect(await patch(change)).toEqual({ ...discount, ...change, updated_at });
  const fixed = { kind: 'fixed', amount_cents: 9, currency: 'eur' };
  expect(await patch(fixed)).toEqual({ ...discount, ...change, ...fixed, percent: null, updated_at });
  expect(await patch({ currency: null, amount_cents: 10 })).toMatchObject({ ...fixed, amount_cents: 10 });
  expect(await patch({ kind: 'percent', percent: '100' })).toEqual({
    ...discount,
    ...change,
    percent: '100.0',
    updated_at,
  });
});

test('a code belongs to one discount of a merchant and mode, whatever its case', async () => {
  const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
  const first = await createDiscount(merchant.test, { code: 'SAVE' });
  const second = await createDiscount(merchant.test, { code: 'MORE' });
  const sentence = 'code is taken by another discount';
  const again = { name: 'Again', kind: 'percent', percent: '1', code: 'save' };
  expectInvalid(await merchant.test.post(path, { discount: again }), sentence);
  expectInvalid(await merchant.test.patch(`${path}/${second.id}`, { discount: { code: 'Save' } }), sentence);
  await createDiscount(merchant.live, { code: 'SAVE' });
  await createDiscount(other.test, { code: 'SAVE' });
  await merchant.test.delete(`${path}/${first.id}`);
  expect((await createDiscount(merchant.test, again)).code).toBe('save');
});

test('of two that want one code at once, one gets it', async () => {
  const { test: client } = await app.newMerchant();
  const discount = { name: 'Race', kind: 'percent', percent: '1', code: 'RACE' };
  const replies = await Promise.all([client.post(path, { discount }), client.post(path, { discount })]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 422]);
});

test('bodies that are wrong change nothing', async () => {
  const { test: client } = await app.newMerchant();
  const percent = await createDiscount(client, { starts_at: '2027-01-01' });
  const fixed = await createDiscount(client, { kind: 'fixed', percent: null, amount_cents: 100 });
  const before = await catalogBooks(app);
  const post = (discount: unknown) => client.post(path, { discount });
  const patch = (id: string, discount: unknown) => client.patch(`${path}/${id}`, { discount });
  expectInvalid(await client.post(path, { name: 'Sale' }), 'discount is required');
  expectInvalid(await post({}), 'name is required', 'kind is required');
  expectInvalid(await post({ name: 'S', kind: 'half' }), 'kind must be one of percent, fixed');
  expectInvalid(await post({ name: 'S', kind: 'percent' }), 'percent is required for kind percent');
  expectInvalid(await post({ name: 'S', kind: 'fixed' }), 'amount_cents is required for kind fixed');
  const noCurrency = 'currency is for kind fixed only';
  const noAmount = 'amount_cents is for kind fixed only';
  const terms = { name: 'S', kind: 'percent', percent: '1', amount_cents: 1, currency: 'usd' };
  expectInvalid(await post(terms), noAmount, noCurrency);
  expectInvalid(await post({ ...terms, kind: 'fixed' }), 'percent is for kind percent only');
  for (const value of ['0', '0.0000', '-1', '100.1', '1e1', '5%', '']) {
    const sentence = 'percent must be a decimal above 0, up to 100, with at most 4 decimals, such as "12.5"';
    expectInvalid(await post({ name: 'S', kind: 'percent', percent: value }), sentence);
    expectInvalid(await patch(percent.id, { percent: value }), sentence);
  }
  expectInvalid(await patch(percent.id, { percent: null }), 'percent is required for kind percent');
  expectInvalid(await patch(percent.id, { amount_cents: 5 }), noAmount);
  expectInvalid(await patch(percent.id, { kind: 'fixed' }), 'amount_cents is required for kind fixed');
  expectInvalid(await patch(fixed.id, { kind: 'percent' }), 'percent is required for kind percent');
  expectInvalid(await patch(fixed.id, { percent: '5' }), 'percent is for kind percent only');
  expectInvalid(await patch(fixed.id, { amount_cents: null }), 'amount_cents is required for kind fixed');
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ name: '' }, 'name must not be empty'],
    [{ code: '  ' }, 'code must not be empty'],
    [{ code: 'x'.repeat(51) }, 'code must have at most 50 characters'],
    [{ percent: 5 }, 'percent must be text'],
    [{ amount_cents: 0 }, 'amount_cents must be at least 1'],
    [{ amount_cents: '5' }, 'amount_cents must be a whole number'],
    [{ currency: 'xyz' }, 'currency must be a known currency code'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ starts_at: 'tomorrow' }, /^starts_at must be an ISO 8601 time/],
    [{ ends_at: '2027-02-30' }, /^ends_at must be an ISO 8601 time/],
    [{ starts_at: '0001-01-01' }, /^starts_at must be .* from 1970 on$/],
    [{ ends_at: '9999-12-31T23:59:59-14:00' }, /^ends_at must be an ISO 8601 time/],
    [{ ends_at: '2026-12-31' }, 'ends_at must be later than starts_at'],
    [{ ends_at: '2027-01-01T00:00:00.000Z' }, 'ends_at must be later than starts_at'],
    [{ starts_at: 1772359200 }, 'starts_at must be text'],
  ];
  for (const [members, sentence] of wrong) {
    expectInvalid(await patch(percent.id, members), sentence);
  }
  expect(await catalogBooks(app)).toEqual(before);
});

test('delete removes it', async () => {
  const { test: client } = await app.newMerchant();
  const { id } = await createDiscount(client);
  expect((await client.delete(`${path}/${id}`)).status).toBe(204);
  expectError(await client.get(`${path}/${id}`), 'not_found', { message: 'Discount not found' });
  expectError(await client.delete(`${path}/${id}`), 'not_found');
});

test('lists newest first, with filters', async () => {
  const { test: client, live } = await app.newMerchant();
  const first = await createDiscount(client, { name: 'Old', code: 'OLD', enabled: false });
  const second = await createDiscount(client, { name: 'New', kind: 'fixed', percent: null, amount_cents: 1 });
  const list = async (query = '') => (await client.get(`${path}?${query}`)).body;
  expect(await list()).toEqual({
    object: 'list',
    data: [second, first],
    meta: { current_page: 1, per_page: 25, total_count: 2, total_pages: 1, next_page: null, prev_page: null },
  });
  expect((await list('q[enabled_eq]=false')).data).toEqual([first]);
  expect((await list('q[code_eq]=OLD')).data).toEqual([first]);
  expect((await list('q[kind_eq]=fixed')).data).toEqual([second]);
  expect((await list('q[name_cont]=n')).data).toEqual([second]);
  expectInvalid(await client.get(`${path}?q[percent_eq]=1`), unknownFilter('q[percent_eq]'));
  expect((await live.get(path)).body.data).toEqual([]);
});
