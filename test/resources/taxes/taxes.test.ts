import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { catalogBooks, createProductType, createTax } from '../../harness/catalog.ts';
import { anId, expectError, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeNounRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/taxes';

describeNounRefusals(() => app, {
  path,
  body: () => ({ tax: { name: 'VAT', rate: '19' } }),
  permissions: 'catalog',
  resource: 'Tax',
  make: async ({ test }) => (await createTax(test)).id,
  makeLive: async ({ live }) => (await createTax(live)).id,
});

test('shows every member', async () => {
  const { test: client } = await app.newMerchant();
  const reply = await client.post(path, { tax: { name: ' Sales tax ', rate: '8.25', livemode: true } });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'tax',
    livemode: false,
    id: anId(),
    name: 'Sales tax',
    rate: '8.25',
    inclusive: false,
    enabled: true,
    created_at: '2027-03-01T10:00:00.000Z',
    updated_at: '2027-03-01T10:00:00.000Z',
  });
  expect((await client.get(`${path}/${reply.body.id}`)).body).toEqual(reply.body);
});

test.each([
  ['0', '0.0'],
  ['19', '19.0'],
  ['7.50', '7.5'],
  ['0.0001', '0.0001'],
  ['100.0000', '100.0'],
])('a rate of %s reads %s, at once and ever after', async (rate, shown) => {
  const { test: client } = await app.newMerchant();
  const tax = await createTax(client, { rate });
  expect(tax.rate).toBe(shown);
  expect((await client.get(`${path}/${tax.id}`)).body.rate).toBe(shown);
});

test('update changes what is sent and leaves the rest', async () => {
  const { test: client } = await app.newMerchant();
  const tax = await createTax(client);
  app.clock.advanceSeconds(1);
  const updated_at = app.clock.now().toISOString();
  const patch = (members: unknown) => client.patch(`${path}/${tax.id}`, { tax: members });
  expect((await patch({ inclusive: null, enabled: null })).body).toEqual({ ...tax, updated_at });
  const change = { name: 'VAT', rate: '7.0', inclusive: true, enabled: false };
  expect((await patch({ ...change, rate: '7' })).body).toEqual({ ...tax, ...change, updated_at });
  expect((await client.get(`${path}/${tax.id}`)).body).toEqual({ ...tax, ...change, updated_at });
});

test('bodies that are wrong change nothing', async () => {
  const { test: client } = await app.newMerchant();
  const tax = await createTax(client);
  const before = await catalogBooks(app);
  expectInvalid(await client.post(path, { name: 'VAT', rate: '19' }), 'tax is required');
  expectInvalid(await client.post(path, { tax: {} }), 'name is required', 'rate is required');
  for (const rate of [
    '',
    '-1',
    '+1',
    '100.0001',
    '101',
    '1e1',
    '8,25',
    '1.00001',
    ' 8',
    '08',
    'NaN',
    '.5',
    '8.',
    '８',
  ]) {
    const sentence = 'rate must be a decimal from 0 to 100 with at most 4 decimals, such as "8.25"';
    expectInvalid(await client.post(path, { tax: { name: 'VAT', rate } }), sentence);
    expectInvalid(await client.patch(`${path}/${tax.id}`, { tax: { rate } }), sentence);
  }
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ rate: 8.25 }, 'rate must be text'],
    [{ rate: null }, 'rate must be text'],
    [{ name: null }, 'name must be text'],
    [{ inclusive: 'true' }, 'inclusive must be true or false'],
    [{ enabled: 1 }, 'enabled must be true or false'],
  ];
  for (const [members, sentence] of wrong) {
    expectInvalid(await client.post(path, { tax: { name: 'VAT', rate: '1', ...members } }), sentence);
    expectInvalid(await client.patch(`${path}/${tax.id}`, { tax: members }), sentence);
  }
  expect(await catalogBooks(app)).toEqual(before);
});

test('delete takes it out of the product types that name it', async () => {
  const { test: client } = await app.newMerchant();
  const [gone, kept] = [await createTax(client), await createTax(client)];
  const type = await createProductType(client, { tax_ids: [gone.id, kept.id] });
  expect((await client.delete(`${path}/${gone.id}`)).status).toBe(204);
  expectError(await client.get(`${path}/${gone.id}`), 'not_found', { message: 'Tax not found' });
  expectError(await client.delete(`${path}/${gone.id}`), 'not_found');
  expect((await client.get(`/api/v1/m/product_types/${type.id}`)).body.tax_ids).toEqual([kept.id]);
});

test('lists newest first, with filters', async () => {
  const { test: client, live } = await app.newMerchant();
  const first = await createTax(client, { name: 'VAT', enabled: false });
  const second = await createTax(client, { name: 'City tax' });
  const list = async (query = '') => (await client.get(`${path}?${query}`)).body;
  expect(await list()).toEqual({
    object: 'list',
    data: [second, first],
    meta: { current_page: 1, per_page: 25, total_count: 2, total_pages: 1, next_page: null, prev_page: null },
  });
  expect((await list('q[enabled_eq]=true')).data).toEqual([second]);
  expect((await list('q[name_cont]=vat')).data).toEqual([first]);
  expectInvalid(await client.get(`${path}?q[rate_eq]=1`), unknownFilter('q[rate_eq]'));
  expect((await live.get(path)).body.data).toEqual([]);
});

test('the merchant shows the taxes of the key’s mode, oldest first', async () => {
  const { test: client, live } = await app.newMerchant();
  const taxes = [await createTax(client, { name: 'VAT' }), await createTax(client, { name: 'City', enabled: false })];
  const liveTax = await createTax(live);
  expect((await client.get('/api/v1/m/merchant')).body.taxes).toEqual(taxes);
  expect((await live.get('/api/v1/m/merchant')).body.taxes).toEqual([liveTax]);
  const changed = await client.patch('/api/v1/m/merchant', { merchant: { phone: '1' } });
  expect(changed.body.taxes).toEqual(taxes);
});
