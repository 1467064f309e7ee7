import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createProduct, oneProduct } from '../../harness/catalog.ts';
import { expectError } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/products';

describeRefusals(() => app, { ...oneProduct, method: 'GET', permission: 'catalog:read' });

test('by id in any case, and by slug', async () => {
  const { test: client } = await app.newMerchant();
  const product = await createProduct(client);
  for (const id of [product.id, product.id.toUpperCase(), product.slug]) {
    const reply = await client.get(`${path}/${id}`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...product, key_rotation_pending: false });
  }
});

test('slugs are as private as ids', async () => {
  const [owner, other] = [await app.newMerchant(), await app.newMerchant()];
  const { slug } = await createProduct(owner.test);
  const message = 'Product not found';
  expectError(await other.test.get(`${path}/${slug}`), 'not_found', { message });
  expectError(await owner.live.get(`${path}/${slug}`), 'not_found', { message });
  const wrong = ['prod_0000000000000000', 'prod_', slug.toUpperCase(), slug.slice(0, -1), `${slug}0`, `${slug}%00`];
  for (const id of [...wrong, 'some-slug']) {
    expectError(await owner.test.get(`${path}/${id}`), 'not_found', { message });
  }
});
