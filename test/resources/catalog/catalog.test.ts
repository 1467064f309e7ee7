import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currencies } from '../../../src/kernel/currency.ts';
import { formatMoney } from '../../../src/kernel/money.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createDiscount, createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { expectError } from '../../harness/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/catalog';
const now = '2027-03-01T10:00:00.000Z';
const versionOf = async (client: Client): Promise<string> => (await client.get(`${path}/version`)).body.catalog_version;
const catalogOf = async (client: Client) => {
  const reply = await client.get(path);
  expect(reply.status).toBe(200);
  return reply.body;
};

describe('refuses', () => {
  test.each([path, `${path}/version`])('strangers and keys that may not read the catalog, at %s', async (url) => {
    const merchant = await app.newMerchant();
    expectError(await app.stranger.get(url), 'missing_token');
    const message = 'This key lacks the permission catalog:read';
    expectError(await (await merchant.narrowed('catalog:write')).get(url), 'forbidden', { message });
    expect((await (await merchant.narrowed('catalog:read')).get(url)).status).toBe(200);
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT'] as const) {
      expectError(await merchant.test.raw(method, url, ''), 'method_not_allowed');
    }
  });
});

test.each([path, `${path}/version`])('publishable keys and web pages may read %s', async (url) => {
  const merchant = await app.newMerchant();
  for (const client of [merchant.publishable, merchant.livePublishable]) {
    const reply = await client.get(url);
    expect(reply.status).toBe(200);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['access-control-expose-headers']).toContain('etag');
  }
  const preflight = await app.app.inject({ method: 'OPTIONS', url });
  expect(preflight.statusCode).toBe(204);
  expect(preflight.headers['access-control-allow-headers']).toContain('if-none-match');
});

test('an empty catalog is as old as its merchant', async () => {
  const merchant = await app.newMerchant();
  const catalog = {
    object: 'catalog',
    livemode: false,
    merchant_id: merchant.id,
    catalog_version: now,
    catalog_refresh_minutes: 5,
    product_types: [],
    taxes: [],
    discounts: [],
  };
  expect(await catalogOf(merchant.test)).toEqual(catalog);
  expect(await catalogOf(merchant.live)).toEqual({ ...catalog, livemode: true });
  expect((await merchant.live.get(`${path}/version`)).body).toEqual({
    object: 'catalog_version',
    livemode: true,
    catalog_version: now,
    version: now,
    catalog_refresh_minutes: 5,
  });
});

test('shows types by position with their active products, those without a type last', async () => {
  const { test: client } = await app.newMerchant();
  const tax = await createTax(client, { rate: '19', inclusive: true, enabled: false });
  const food = await createProductType(client, { name: 'Food', position: 5 });
  const drinks = await createProductType(client, { name: 'Drinks', position: 2, tax_ids: [tax.id] });
  const loose = await createProduct(client, { name: 'Loose', position: 0 });
  const tea = await createProduct(client, {
    name: 'Tea',
    product_type_id: drinks.id,
    position: 9,
    description: 'Green',
    sku: 'T',
    price_cents: 1234,
    currency: 'kwd',
    image_url: 'https://img.example.com/tea.png',
  });
  const coffee = await createProduct(client, { product_type_id: drinks.id, position: 3 });
  await createProduct(client, { name: 'Later', product_type_id: drinks.id, status: 'inactive' });
  const gone = await createProduct(client, { name: 'Gone', product_type_id: food.id });
  await client.delete(`/api/v1/m/products/${gone.id}`);
  const body = await catalogOf(client);
  expect(body.product_types).toEqual([
    {
      id: drinks.id,
      name: 'Drinks',
      position: 2,
      tax_ids: [tax.id],
      products: [
        expect.objectContaining({ id: coffee.id, formatted_price: '$5.00' }),
        {
          id: tea.id,
          slug: tea.slug,
          name: 'Tea',
          description: 'Green',
          price_cents: 1234,
          currency: 'kwd',
          sku: 'T',
          formatted_price: 'KWD 1.234',
          image_url: 'https://img.example.com/tea.png',
          image_medium_url: 'https://img.example.com/tea.png',
          position: 9,
          payment_link_url: tea.payment_link_url,
        },
      ],
    },
    { id: food.id, name: 'Food', position: 5, tax_ids: [], products: [] },
    {
      id: null,
      name: 'Other',
      position: 6,
      tax_ids: [],
      products: [
        {
          id: loose.id,
          slug: loose.slug,
          name: 'Loose',
          description: null,
          price_cents: 500,
          currency: 'usd',
          sku: null,
          formatted_price: '$5.00',
          image_url: null,
          image_medium_url: null,
          position: 0,
          payment_link_url: loose.payment_link_url,
        },
      ],
    },
  ]);
  expect(body.taxes).toEqual([{ id: tax.id, name: 'Sales tax', rate: '19.0', inclusive: true, enabled: false }]);
});

test('shows enabled discounts, their codes to secret keys only', async () => {
  const merchant = await app.newMerchant();
  const { object, livemode, created_at, updated_at, ...terms } = await createDiscount(merchant.test, {
    code: 'SECRET',
  });
  await createDiscount(merchant.test, { code: 'OFF', enabled: false });
  expect((await catalogOf(merchant.test)).discounts).toEqual([terms]);
  const { code, ...public_ } = terms;
  expect((await catalogOf(merchant.publishable)).discounts).toEqual([public_]);
  expect((await catalogOf(merchant.test)).discounts).toEqual([terms]);
});

test('is one merchant’s, in one mode', async () => {
  const [one, two] = [await app.newMerchant(), await app.newMerchant()];
  const mine = await createProduct(one.test);
  await createProduct(one.live, { name: 'Live' });
  await createProduct(two.test, { name: 'Theirs' });
  const seen = (body: { product_types: { products: { id: string }[] }[] }) =>
    body.product_types.flatMap((type) => type.products.map((product) => product.id));
  expect(seen(await catalogOf(one.test))).toEqual([mine.id]);
  expect(seen(await catalogOf(one.publishable))).toEqual([mine.id]);
});

describe('catalog_version', () => {
  test('rises with every write, though the clock stands still', async () => {
    const { test: client, live } = await app.newMerchant();
    const liveVersion = await versionOf(live);
    const versions = [await versionOf(client)];
    const write = async (work: () => Promise<unknown>) => {
      await work();
      versions.push(await versionOf(client));
    };
    const ids: Record<string, string> = {};
    const bodies = {
      taxes: { tax: { name: 'VAT', rate: '1' } },
      product_types: { product_type: { name: 'Drinks' } },
      products: { product: { name: 'Coffee', price_cents: 1 } },
      discounts: { discount: { name: 'Sale', kind: 'percent', percent: '1' } },
    };
    for (const [noun, body] of Object.entries(bodies)) {
      await write(async () => {
        ids[noun] = (await client.post(`/api/v1/m/${noun}`, body)).body.id;
      });
      await write(() => client.patch(`/api/v1/m/${noun}/${ids[noun]}`, body));
    }
    for (const noun of Object.keys(bodies)) await write(() => client.delete(`/api/v1/m/${noun}/${ids[noun]}`));
    const times = versions.map((version) => new Date(version).getTime());
    expect(times).toEqual(times.map((_, index) => times[0]! + index));
    expect(times).toHaveLength(13);
    expect((await catalogOf(client)).catalog_version).toBe(versions.at(-1));
    expect(await versionOf(live)).toBe(liveVersion);
  });

  test('follows the clock once that is ahead', async () => {
    const { test: client } = await app.newMerchant();
    await createProduct(client);
    app.clock.advanceSeconds(60);
    await createProduct(client);
    expect(await versionOf(client)).toBe(app.clock.now().toISOString());
  });

  test('stays when a write is refused', async () => {
    const { test: client } = await app.newMerchant();
    await createProduct(client);
    const version = await versionOf(client);
    await client.patch('/api/v1/m/products/prod_0000000000000000', { product: { name: 'Tea' } });
    await client.post('/api/v1/m/products', { product: { name: 'Tea' } });
    expect(await versionOf(client)).toBe(version);
  });

  test('rises once for each of many writes at the same time', async () => {
    const { test: client } = await app.newMerchant();
    const before = new Date(await versionOf(client)).getTime();
    const products = await Promise.all(Array.from({ length: 8 }, () => createProduct(client)));
    expect(new Date(await versionOf(client)).getTime()).toBe(Math.max(before + 1, app.clock.now().getTime()) + 7);
    expect(products.map(({ position }) => position).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});

describe('ETag', () => {
  test('answers 304 without a body until something changes', async () => {
    const { test: client } = await app.newMerchant();
    const product = await createProduct(client);
    const first = await client.get(path);
    const { etag } = first.headers as { etag: string };
    expect(etag).toMatch(/^"[\w-]+"$/);
    expect(first.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'authorization' });
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const reply = await client.get(path, { 'if-none-match': tags });
      expect([tags, reply.status, reply.body]).toEqual([tags, 304, '']);
      expect(reply.headers.etag).toBe(etag);
      expect(reply.headers['x-request-id']).toMatch(/^req_/);
      expect(reply.headers).not.toHaveProperty('content-type');
    }
    for (const tags of ['"other"', etag.slice(1, -1), '', 'W/*']) {
      expect((await client.get(path, { 'if-none-match': tags })).body).toEqual(first.body);
    }
    await client.patch(`/api/v1/m/products/${product.id}`, { product: { name: 'Tea' } });
    const changed = await client.get(path, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(changed.body.product_types[0].products[0].name).toBe('Tea');
    expect(changed.body.catalog_version > first.body.catalog_version).toBe(true);
  });

  test('is the same for keys that see the same, and for nobody else', async () => {
    const [one, two] = [await app.newMerchant(), await app.newMerchant()];
    const tagOf = async (client: Client) => (await client.get(path)).headers.etag!;
    const tags = [one.test, one.live, one.publishable, one.livePublishable, two.test, two.publishable].map(tagOf);
    expect(new Set(await Promise.all(tags)).size).toBe(6);
    expect(await tagOf(await one.narrowed('catalog:read'))).toBe(await tags[0]);
    const reply = await two.test.get(path, { 'if-none-match': await tags[0]! });
    expect(reply.body.merchant_id).toBe(two.id);
  });

  test('HEAD has it too, and a refusal does not', async () => {
    const { test: client } = await app.newMerchant();
    const { headers } = await client.get(path);
    const authorization = `Bearer ${client.key}`;
    const head = await app.app.inject({ method: 'HEAD', url: path, headers: { authorization } });
    expect([head.statusCode, head.payload, head.headers.etag]).toEqual([200, '', headers.etag]);
    const reply = await app.stranger.get(path, { 'if-none-match': headers.etag! });
    expectError(reply, 'missing_token');
    expect(reply.headers).not.toHaveProperty('etag');
  });

  test('whoever reads between writes never gets an older catalog than before', async () => {
    const { test: client } = await app.newMerchant();
    const seen: [version: string, products: number][] = [];
    const writing = Promise.all(Array.from({ length: 10 }, () => createProduct(client)));
    for (let read = 0; read < 15; read++) {
      const { catalog_version, product_types } = await catalogOf(client);
      seen.push([catalog_version, product_types[0]?.products.length ?? 0]);
    }
    await writing;
    expect(seen).toEqual(seen.toSorted(([a, m], [b, n]) => (a === b ? m - n : a < b ? -1 : 1)));
    expect((await catalogOf(client)).product_types[0].products).toHaveLength(10);
  });
});

test('formatted_price is the price in the currency’s own decimals', async () => {
  const { test: client } = await app.newMerchant();
  const { id } = await createProduct(client);
  const price = fc.oneof(fc.maxSafeNat(), fc.nat(10_000));
  await fc.assert(
    fc.asyncProperty(price, fc.constantFrom(...currencies), async (price_cents, currency) => {
      await client.patch(`/api/v1/m/products/${id}`, { product: { price_cents, currency } });
      const [product] = (await catalogOf(client)).product_types[0].products;
      expect(product).toMatchObject({ price_cents, currency, formatted_price: formatMoney(price_cents, currency) });
      // What is left of the text without its words and separators is the number itself, to the last digit.
      expect(BigInt(product.formatted_price.replace(/\D/g, ''))).toBe(BigInt(price_cents));
    }),
    { numRuns: 40 },
  );
});
