import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { catalogBooks, createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import { anId, expectError, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeNounRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/product_types';
const unknownId = '01900000-0000-7000-8000-000000000000';

describeNounRefusals(() => app, {
  path,
  body: () => ({ product_type: { name: 'Drinks' } }),
  permissions: 'catalog',
  resource: 'Product type',
  make: async ({ test }) => (await createProductType(test)).id,
  makeLive: async ({ live }) => (await createProductType(live)).id,
});

test('shows every member', async () => {
  const { test: client } = await app.newMerchant();
  const [vat, city] = [await createTax(client), await createTax(client, { name: 'City' })];
  const tax_ids = [city.id, vat.id];
  const reply = await client.post(path, {
    product_type: { name: ' Drinks ', external_ref: 'x', tax_ids: [...tax_ids, city.id.toUpperCase()], id: unknownId },
  });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'product_type',
    livemode: false,
    id: anId(),
    name: 'Drinks',
    position: 1,
    external_ref: 'x',
    tax_ids,
    created_at: '2027-03-01T10:00:00.000Z',
    updated_at: '2027-03-01T10:00:00.000Z',
  });
  expect(reply.body.id).not.toBe(unknownId);
  expect((await client.get(`${path}/${reply.body.id}`)).body).toEqual(reply.body);
  expect(await createProductType(client)).toMatchObject({ position: 2, external_ref: null, tax_ids: [] });
});

test('update changes what is sent and leaves the rest', async () => {
  const { test: client } = await app.newMerchant();
  const [vat, city] = [await createTax(client), await createTax(client, { name: 'City' })];
  const type = await createProductType(client, { external_ref: 'x', tax_ids: [vat.id] });
  app.clock.advanceSeconds(1);
  const updated_at = app.clock.now().toISOString();
  const patch = (product_type: unknown) => client.patch(`${path}/${type.id}`, { product_type });
  expect((await patch({})).body).toEqual({ ...type, updated_at });
  const change = { name: 'Food', position: 0, external_ref: null, tax_ids: [city.id, vat.id] };
  expect((await patch(change)).body).toEqual({ ...type, ...change, updated_at });
  expect((await client.get(`${path}/${type.id}`)).body).toEqual({ ...type, ...change, updated_at });
  expect((await patch({ tax_ids: null, position: null })).body).toMatchObject(change);
  expect((await patch({ tax_ids: [] })).body.tax_ids).toEqual([]);
});

test('bodies that are wrong change nothing', async () => {
  const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
  const type = await createProductType(merchant.test);
  const foreign = [await createTax(other.test), await createTax(merchant.live)];
  const before = await catalogBooks(app);
  expectInvalid(await merchant.test.post(path, { name: 'Drinks' }), 'product_type is required');
  expectInvalid(await merchant.test.post(path, { product_type: {} }), 'name is required');
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ name: ' ' }, 'name must not be empty'],
    [{ position: 1.5 }, 'position must be a whole number'],
    [{ tax_ids: 'all' }, 'tax_ids must be a list'],
    [{ tax_ids: [7] }, 'tax_ids[0] must be text'],
    [{ tax_ids: Array(21).fill(unknownId) }, 'tax_ids must have at most 20 entries'],
  ];
  for (const [members, sentence] of wrong) {
    const product_type = { name: 'Drinks', ...members };
    expectInvalid(await merchant.test.post(path, { product_type }), sentence);
    expectInvalid(await merchant.test.patch(`${path}/${type.id}`, { product_type }), sentence);
  }
  for (const id of [...foreign.map((tax) => tax.id), unknownId, 'vat']) {
    const product_type = { name: 'Drinks', tax_ids: [id] };
    const message = 'Tax not found';
    expectError(await merchant.test.post(path, { product_type }), 'not_found', { message });
    expectError(await merchant.test.patch(`${path}/${type.id}`, { product_type }), 'not_found', { message });
  }
  expect(await catalogBooks(app)).toEqual(before);
});

test('a type that products have stays', async () => {
  const { test: client } = await app.newMerchant();
  const type = await createProductType(client);
  const first = await createProduct(client, { product_type_id: type.id, status: 'inactive' });
  const second = await createProduct(client, { product_type_id: type.id });
  const before = await catalogBooks(app);
  const refused = await client.delete(`${path}/${type.id}`);
  expectError(refused, 'conflict', { message: /^2 products have this product type/ });
  expect(await catalogBooks(app)).toEqual(before);
  await client.delete(`/api/v1/m/products/${first.id}`);
  expectError(await client.delete(`${path}/${type.id}`), 'conflict', { message: /^1 product has/ });
  await client.patch(`/api/v1/m/products/${second.id}`, { product: { product_type_id: null } });
  expect((await client.delete(`${path}/${type.id}`)).status).toBe(204);
  expectError(await client.get(`${path}/${type.id}`), 'not_found', { message: 'Product type not found' });
  expectError(await client.delete(`${path}/${type.id}`), 'not_found');
});

test('a type that is deleted while a product is put into it: one of the two happens', async () => {
  const { test: client } = await app.newMerchant();
  for (let round = 0; round < 5; round++) {
    const type = await createProductType(client);
    const product = await createProduct(client);
    const [deleted, moved] = await Promise.all([
      client.delete(`${path}/${type.id}`),
      client.patch(`/api/v1/m/products/${product.id}`, { product: { product_type_id: type.id } }),
    ]);
    expect([
      [204, 404],
      [409, 200],
    ]).toContainEqual([deleted.status, moved.status]);
  }
});

test('lists by position, with filters', async () => {
  const { test: client, live } = await app.newMerchant();
  const food = await createProductType(client, { name: 'Food', position: 2, external_ref: 'f' });
  const drinks = await createProductType(client, { name: 'Drinks', position: 1 });
  const list = async (query = '') => (await client.get(`${path}?${query}`)).body;
  expect(await list()).toEqual({
    object: 'list',
    data: [drinks, food],
    meta: { current_page: 1, per_page: 25, total_count: 2, total_pages: 1, next_page: null, prev_page: null },
  });
  expect((await list('q[name_cont]=DRI')).data).toEqual([drinks]);
  expect((await list('q[external_ref_eq]=f')).data).toEqual([food]);
  expectInvalid(await client.get(`${path}?q[position_eq]=1`), unknownFilter('q[position_eq]'));
  expect((await live.get(path)).body.data).toEqual([]);
});
