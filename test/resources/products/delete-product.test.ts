import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createProduct, createProductType, oneProduct } from '../../harness/catalog.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/products';

describeRefusals(() => app, { ...oneProduct, method: 'DELETE', permission: 'catalog:write', success: 204 });

test('archives the product and takes it out of its type, by id and by slug, as often as one likes', async () => {
  const { test: client } = await app.newMerchant();
  const type = await createProductType(client);
  for (const member of ['id', 'slug']) {
    const product = await createProduct(client, { product_type_id: type.id });
    app.clock.advanceSeconds(1);
    const updated_at = app.clock.now().toISOString();
    const reply = await client.delete(`${path}/${product[member]}`);
    expect([reply.status, reply.body]).toEqual([204, '']);
    const gone = { ...product, status: 'archived', product_type_id: null, payment_link_url: null, updated_at };
    expect((await client.get(`${path}/${product.id}`)).body).toMatchObject(gone);
    app.clock.advanceSeconds(1);
    expect((await client.delete(`${path}/${product.id}`)).status).toBe(204);
    expect((await client.get(`${path}/${product.slug}`)).body).toEqual({ ...gone, key_rotation_pending: false });
  }
  // Nothing is in it any more.
  expect((await client.delete(`/api/v1/m/product_types/${type.id}`)).status).toBe(204);
});
