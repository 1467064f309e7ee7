import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { catalogBooks, createProduct, createProductType, oneProduct } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { expectError, expectInvalid } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/products';
const patch = (client: Client, id: string, product: unknown) => client.patch(`${path}/${id}`, { product });

describeRefusals(() => app, {
  ...oneProduct,
  method: 'PATCH',
  body: () => ({ product: { name: 'Tea' } }),
  permission: 'catalog:write',
});

test('changes what is sent and leaves the rest, the slug always', async () => {
  const { test: client } = await app.newMerchant();
  const product = await createProduct(client, { description: 'Hot', sku: 'S', metadata: { a: 1, b: 2 } });
  app.clock.advanceSeconds(1);
  const updated_at = app.clock.now().toISOString();
  expect((await patch(client, product.id, {})).body).toEqual({ ...product, updated_at });
  const change = {
    name: 'Tea',
    price_cents: 300,
    currency: 'eur',
    sku: null,
    position: 9,
    resource_type: 'physical',
    image_url: 'http://img.example.com/',
    access_duration_seconds: 60,
    external_ref: 'x',
    metadata: { c: 3 },
  };
  const reply = await patch(client, product.slug, { ...change, slug: 'prod_1111111111111111', id: 'x' });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({ ...product, ...change, updated_at });
  expect((await client.get(`${path}/${product.id}`)).body).toMatchObject(reply.body);
});

test('null clears what may be empty and stands for "not given" elsewhere', async () => {
  const { test: client } = await app.newMerchant();
  const members = { description: 'd', resource_type: 'r', image_url: 'https://a.b/', external_ref: 'e' };
  const product = await createProduct(client, { ...members, access_duration_seconds: 5, metadata: { a: 1 } });
  const cleared = { description: null, resource_type: null, image_url: null, external_ref: null };
  const nulls = { currency: null, status: null, position: null, metadata: null };
  const { body } = await patch(client, product.id, { ...cleared, ...nulls, access_duration_seconds: null });
  expect(body).toEqual({ ...product, ...cleared, access_duration_seconds: null, updated_at: body.updated_at });
});

test('only an active product has a payment link, and it is always the same', async () => {
  const { test: client } = await app.newMerchant();
  const product = await createProduct(client);
  for (const status of ['inactive', 'archived']) {
    expect((await patch(client, product.id, { status })).body).toMatchObject({ status, payment_link_url: null });
  }
  const { body } = await patch(client, product.id, { status: 'active' });
  expect(body.payment_link_url).toBe(product.payment_link_url);
});

test('archiving takes it out of its type; it comes back without one', async () => {
  const { test: client } = await app.newMerchant();
  const type = await createProductType(client);
  const product = await createProduct(client, { product_type_id: type.id });
  const archived = await patch(client, product.id, { status: 'archived' });
  expect(archived.body).toMatchObject({ status: 'archived', product_type_id: null });
  const fault = 'product_type_id must be null for an archived product';
  expectInvalid(await patch(client, product.id, { product_type_id: type.id }), fault);
  const back = await patch(client, product.id, { status: 'active', product_type_id: type.id });
  expect(back.body).toMatchObject({ status: 'active', product_type_id: type.id });
  expect((await patch(client, product.id, { product_type_id: null })).body.product_type_id).toBeNull();
});

test('bodies that are wrong change nothing', async () => {
  const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
  const { id } = await createProduct(merchant.test);
  const foreign = await createProductType(other.test);
  const before = await catalogBooks(app);
  expectInvalid(await merchant.test.patch(`${path}/${id}`, { name: 'Tea' }), 'product is required');
  const wrong: [unknown, string | RegExp][] = [
    [{ name: null }, 'name must be text'],
    [{ name: '' }, 'name must not be empty'],
    [{ price_cents: null }, 'price_cents must be a whole number'],
    [{ price_cents: -5 }, 'price_cents must be at least 0'],
    [{ access_duration_seconds: 0 }, 'access_duration_seconds must be at least 1'],
    [{ image_url: 'ftp://a.b/' }, 'image_url must be an http(s) address'],
    [{ status: 'sold' }, /^status must be one of/],
  ];
  for (const [members, sentence] of wrong) expectInvalid(await patch(merchant.test, id, members), sentence);
  const reply = await patch(merchant.test, id, { name: 'Tea', product_type_id: foreign.id });
  expectError(reply, 'not_found', { message: 'Product type not found' });
  expect(await catalogBooks(app)).toEqual(before);
});
