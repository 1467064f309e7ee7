import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { catalogBooks, createProduct, createProductType } from '../../harness/catalog.ts';
import { anId, expectError, expectInvalid } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false, env: { PAY_URL: 'https://pay.example.com' } });
});
afterAll(() => app.close());

const path = '/api/v1/m/products';
const now = '2027-03-01T10:00:00.000Z';
const unknownId = '01900000-0000-7000-8000-000000000000';

describeRefusals(() => app, {
  method: 'POST',
  path: () => path,
  body: () => ({ product: { name: 'Coffee', price_cents: 500 } }),
  permission: 'catalog:write',
  success: 201,
});

test('a name and a price are enough', async () => {
  const merchant = await app.newMerchant();
  const reply = await merchant.test.post(path, { product: { name: '  Coffee  ', price_cents: 500 } });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'product',
    livemode: false,
    id: anId(),
    slug: expect.stringMatching(/^prod_[0-9a-f]{16}$/),
    name: 'Coffee',
    description: null,
    sku: null,
    price_cents: 500,
    currency: 'usd',
    status: 'active',
    position: 1,
    product_type_id: null,
    resource_type: null,
    image_url: null,
    access_duration_seconds: null,
    external_ref: null,
    metadata: {},
    payment_link_url: `https://pay.example.com/pay/${reply.body.slug}`,
    created_at: now,
    updated_at: now,
  });
  expect((await merchant.test.get(`${path}/${reply.body.id}`)).body).toEqual({
    ...reply.body,
    key_rotation_pending: false,
  });
  expect((await createProduct(merchant.test)).position).toBe(2);
  expect(await createProduct(merchant.live)).toMatchObject({ livemode: true, position: 1 });
});

test('takes every member, and ignores those that are the service’s', async () => {
  const { test: client } = await app.newMerchant();
  const type = await createProductType(client);
  const members = {
    name: 'Kurs <b>“1”</b> 🎬',
    price_cents: Number.MAX_SAFE_INTEGER,
    description: 'Line 1\nLine 2',
    sku: 'SKU-1',
    status: 'inactive',
    product_type_id: type.id,
    resource_type: 'digital_download',
    image_url: 'https://img.example.com/1.png?x=1',
    access_duration_seconds: 3600,
    external_ref: 'ext-1',
    position: 7,
    metadata: { a: 1, nested: { b: [true, null] } },
  };
  const theirs = { id: unknownId, slug: 'prod_0000000000000000', livemode: true, created_at: 'x', merchant_id: 'y' };
  const { body } = await client.post(path, { product: { ...theirs, ...members, currency: 'KWD' } });
  expect(body).toMatchObject({ ...members, currency: 'kwd', livemode: false, payment_link_url: null, created_at: now });
  expect(body.id).not.toBe(unknownId);
  expect(body.slug).not.toBe(theirs.slug);
  expect((await client.get(`${path}/${body.id}`)).body).toEqual({ ...body, key_rotation_pending: false });
});

test('takes null for every member that may be left out', async () => {
  const { test: client } = await app.newMerchant();
  const names = [
    'description',
    'sku',
    'currency',
    'status',
    'position',
    'product_type_id',
    'resource_type',
    'image_url',
  ];
  const nulls = [...names, 'access_duration_seconds', 'external_ref', 'metadata'].map((name) => [name, null]);
  const product = await createProduct(client, Object.fromEntries(nulls));
  expect(product).toMatchObject({ currency: 'usd', status: 'active', position: 1, metadata: {}, description: null });
});

test('a price of nothing is a price', async () => {
  const { test: client } = await app.newMerchant();
  expect((await createProduct(client, { price_cents: 0 })).price_cents).toBe(0);
});

test('bodies that are wrong make nothing', async () => {
  const { test: client } = await app.newMerchant();
  const before = await catalogBooks(app);
  const refused = async (product: unknown, ...sentences: (string | RegExp)[]) =>
    expectInvalid(await client.post(path, { product }), ...sentences);
  expectInvalid(await client.post(path), 'product is required');
  expectInvalid(await client.post(path, { name: 'Coffee', price_cents: 1 }), 'product is required');
  await refused({}, 'name is required', 'price_cents is required');
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ name: '   ' }, 'name must not be empty'],
    [{ name: null }, 'name must be text'],
    [{ name: 'x'.repeat(501) }, /^name must have at most 500/],
    [{ name: 'a\u0000b' }, /^name /],
    [{ price_cents: -1 }, 'price_cents must be at least 0'],
    [{ price_cents: '500' }, 'price_cents must be a whole number'],
    [{ price_cents: 10.5 }, 'price_cents must be a whole number'],
    [{ price_cents: 2 ** 53 }, /^price_cents must be at most 9007199254740991$/],
    [{ currency: 'xyz' }, 'currency must be a known currency code'],
    [{ status: 'gone' }, 'status must be one of active, inactive, archived'],
    [{ position: -1 }, 'position must be at least 0'],
    [{ position: 1_000_001 }, 'position must be at most 1000000'],
    [{ access_duration_seconds: 0 }, 'access_duration_seconds must be at least 1'],
    [{ access_duration_seconds: 4_000_000_000 }, /^access_duration_seconds must be at most/],
    [{ image_url: 'javascript:alert(1)' }, 'image_url must be an http(s) address'],
    [{ image_url: '' }, 'image_url must be an http(s) address'],
    [{ image_url: '/1.png' }, 'image_url must be an http(s) address'],
    [{ metadata: [] }, 'metadata must be an object'],
    [{ sku: 7 }, 'sku must be text'],
  ];
  for (const [members, sentence] of wrong) await refused({ name: 'Coffee', price_cents: 1, ...members }, sentence);
  expect(await catalogBooks(app)).toEqual(before);
});

test('a product type must be the caller’s own, in this mode', async () => {
  const [owner, other] = [await app.newMerchant(), await app.newMerchant()];
  const foreign = [await createProductType(other.test), await createProductType(owner.live)];
  const before = await catalogBooks(app);
  for (const product_type_id of [...foreign.map(({ id }) => id), unknownId, 'drinks', '']) {
    const reply = await owner.test.post(path, { product: { name: 'Coffee', price_cents: 1, product_type_id } });
    expectError(reply, 'not_found', { message: 'Product type not found' });
  }
  expect(await catalogBooks(app)).toEqual(before);
  const own = await createProductType(owner.test);
  expect((await createProduct(owner.test, { product_type_id: own.id.toUpperCase() })).product_type_id).toBe(own.id);
});

test('a product can be made archived, but then it has no type', async () => {
  const { test: client } = await app.newMerchant();
  expect(await createProduct(client, { status: 'archived' })).toMatchObject({ payment_link_url: null });
  const { id } = await createProductType(client);
  const product = { name: 'Coffee', price_cents: 1, status: 'archived', product_type_id: id };
  expectInvalid(await client.post(path, { product }), 'product_type_id must be null for an archived product');
});

test('one Idempotency-Key makes one product', async () => {
  const { test: client } = await app.newMerchant();
  const send = () => client.post(path, { product: { name: 'Coffee', price_cents: 1 } }, { 'idempotency-key': 'k' });
  const first = await send();
  const again = await send();
  expect(again.body).toEqual(first.body);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await client.get(path)).body.meta.total_count).toBe(1);
});

test('the last place is shared, not passed', async () => {
  const { test: client } = await app.newMerchant();
  await createProduct(client, { position: 1_000_000 });
  expect((await createProduct(client)).position).toBe(1_000_000);
});

test('a payment link takes what a product takes', async () => {
  const { test: client } = await app.newMerchant();
  const link = (members: object) =>
    client.post('/api/v1/m/payment_links', { payment_link: { name: 'Film', price_cents: 100, ...members } });
  const { status, body } = await link({ access_duration_seconds: 60, currency: 'EUR', description: 'Once' });
  expect([status, body.access_duration_seconds, body.currency, body.description]).toEqual([201, 60, 'eur', 'Once']);
  for (const seconds of [0, 1.5, 2 ** 53, 1e300]) {
    expectInvalid(await link({ access_duration_seconds: seconds }), /^access_duration_seconds must be/);
  }
  expect((await client.get(path)).body.meta.total_count).toBe(1);
});
