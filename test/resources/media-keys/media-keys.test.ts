import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import type { Reply } from '../../harness/client.ts';
import { onPostgres } from '../../harness/database.ts';
import { eventBodies, expectInvalid } from '../../harness/expect.ts';
import { untilWaiting, whileLocked } from '../../harness/interleave.ts';
import { describeRefusals } from '../../harness/refusals.ts';

const path = '/api/v1/m/media_keys';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const expectRefused = (reply: Reply, status: number, code: string) =>
  expect([reply.status, reply.body.error?.code]).toEqual([status, code]);

async function make(members: Record<string, unknown> = {}, client = merchant.test) {
  const reply = await client.post(path, { media_key: members });
  expect([reply.status, reply.body.error]).toEqual([201, undefined]);
  return reply.body;
}
const secretOf = async (id: string) => (await merchant.test.get(`${path}/${id}/key`)).body;
const many = <T>(work: () => T): T[] => Array.from({ length: 8 }, work);
const makeKey = async (shop: TestMerchant) => (await make({}, shop.test)).id;

for (const [method, suffix, body, permission] of [
  ['GET', '', undefined, 'media_keys:read'],
  ['GET', '/key', undefined, 'media_keys:read'],
  ['DELETE', '', undefined, 'media_keys:write'],
  ['POST', '/rotate', {}, 'media_keys:write'],
  ['POST', '/clear_old_key', {}, 'media_keys:write'],
  ['POST', '/products', { product_ids: [] }, 'media_keys:write'],
] as const) {
  describe(`${method} ${suffix}`, () => {
    describeRefusals(() => app, {
      method,
      path: (id) => `${path}/${id}${suffix}`,
      body: () => body,
      permission,
      resource: 'Media key',
      make: makeKey,
      success: method === 'DELETE' ? 204 : 200,
    });
  });
}

describe('a media key', () => {
  test('is made with its products in one call, never shows its material, and is listed', async () => {
    const [one, two] = [await createProduct(merchant.test), await createProduct(merchant.test)];
    const key = await make({ name: ' Films ', browser_delivery: true, product_ids: [one.id, two.slug, one.id] });
    expect(key).toMatchObject({
      object: 'media_key',
      merchant_id: merchant.id,
      name: 'Films',
      browser_delivery: true,
      rotation_pending: false,
      product_ids: [one.id, two.id],
    });
    expect(key).not.toHaveProperty('key');
    const secret = await secretOf(key.id);
    expect(secret).toMatchObject({ object: 'media_key_secret', previous_key: null, previous_key_fingerprint: null });
    expect(secret.key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(secret.key, 'base64url')).toHaveLength(32);
    expect(secret.key_fingerprint).toBe(createHash('sha256').update(secret.key).digest('hex'));
    const list = await merchant.test.get(path);
    expect(list.body.data.map(({ id }: { id: string }) => id)).toContain(key.id);
  });

  test('is not made when a product is unknown or somebody else’s', async () => {
    const mine = await createProduct(merchant.test);
    const foreign = await createProduct((await app.newMerchant()).test);
    const count = async () => (await merchant.test.get(path)).body.meta.total_count;
    const before = await count();
    for (const id of [foreign.id, foreign.slug, 'prod_0000000000000000', 'nonsense']) {
      expectRefused(await merchant.test.post(path, { media_key: { product_ids: [mine.id, id] } }), 404, 'not_found');
    }
    expect(await count()).toBe(before);
  });

  test('rotates once, keeps the old key until it is cleared, and tells of both (case C116)', async () => {
    const { id } = await make();
    const before = await secretOf(id);
    const tries = await Promise.all(many(() => merchant.test.post(`${path}/${id}/rotate`, {})));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    const rotated = tries.find(({ status }) => status === 200)!.body;
    expect(rotated).toMatchObject({ previous_key: before.key, previous_key_fingerprint: before.key_fingerprint });
    expect(rotated.key).not.toBe(before.key);
    expect((await merchant.test.get(`${path}/${id}`)).body.rotation_pending).toBe(true);
    const cleared = await merchant.test.post(`${path}/${id}/clear_old_key`, {});
    expect([cleared.status, cleared.body.rotation_pending]).toEqual([200, false]);
    expect((await merchant.test.post(`${path}/${id}/clear_old_key`, {})).status).toBe(200);
    const told = async (kind: string) =>
      (await eventBodies(app, merchant.id, kind)).filter(({ data }) => data.id === id).length;
    expect([await told('media_key.rotated'), await told('media_key.old_key_cleared')]).toEqual([1, 1]);
    expect((await merchant.test.post(`${path}/${id}/rotate`, {})).body.previous_key).toBe(rotated.key);
    expect(await told('media_key.rotated')).toBe(2);
  });

  test('PATCH: 400 for a foreign key or a faulty body, 403 without manage, and takes a key that is brought', async () => {
    const { id } = await make();
    const patch = (body: unknown, client = merchant.test, key = id) => client.patch(`${path}/${key}`, body);
    for (const body of [{}, { media_key: {} }, { media_key: { browser_delivery: 'yes' } }]) {
      expectRefused(await patch(body), 400, 'bad_request');
    }
    const foreign = (await make({}, (await app.newMerchant()).test)).id;
    for (const key of [foreign, 'nonsense', '-'.repeat(36), '0'.repeat(36)]) {
      expectRefused(await patch({ media_key: { browser_delivery: true } }, merchant.test, key), 400, 'bad_request');
    }
    const narrowed = await merchant.narrowed('media_keys:read', 'media_keys:write');
    expectRefused(await patch({ media_key: { browser_delivery: true } }, narrowed), 403, 'forbidden');
    const manager = await merchant.narrowed('media_keys:manage');
    const changed = await patch({ media_key: { browser_delivery: true } }, manager);
    expect([changed.status, changed.body.browser_delivery]).toEqual([200, true]);
    const brought = Buffer.alloc(32, 7).toString('base64url');
    expect((await patch({ media_key: { browser_delivery: false, key: brought } })).status).toBe(200);
    expect((await secretOf(id)).key).toBe(brought);
    for (const key of ['short', `${brought}=`, 'x'.repeat(43)]) {
      expectRefused(await patch({ media_key: { browser_delivery: false, key } }), 400, 'bad_request');
    }
  });

  test('is linked to a bounded list of products, all or none, from either side', async () => {
    const product = await createProduct(merchant.test);
    const { id } = await make();
    const link = (product_ids: unknown) => merchant.test.post(`${path}/${id}/products`, { product_ids });
    for (const ids of [undefined, 'x', ['\u0000'], Array(101).fill(product.id)]) {
      expectRefused(await link(ids), 400, 'bad_request');
    }
    expectRefused(await link([product.id, 'prod_0000000000000000']), 404, 'not_found');
    expect((await link([product.slug, product.id])).body.product_ids).toEqual([product.id]);
    const unlinked = await merchant.test.delete(`${path}/${id}/products/${product.id}`);
    expect([unlinked.status, unlinked.body.product_ids]).toEqual([200, []]);
    expect((await merchant.test.delete(`${path}/${id}/products/${product.id}`)).status).toBe(404);
    const side = `/api/v1/m/products/${product.slug}/media_keys`;
    expect((await merchant.test.post(side, { media_key_id: id })).status).toBe(201);
    const fresh = await merchant.test.post(side, { media_key: { name: 'Fresh' } });
    expect([fresh.status, fresh.body.product_ids]).toEqual([201, [product.id]]);
    expect((await merchant.test.post(side, {})).status).toBe(422);
    const both = await merchant.test.post(side, { media_key_id: id, media_key: { name: 'Both' } });
    expectInvalid(both, 'media_key_id and media_key cannot both be given');
    expect((await merchant.test.delete(`${side}/${id}`)).status).toBe(204);
  });

  test('goes with its links', async () => {
    const product = await createProduct(merchant.test);
    const { id } = await make({ product_ids: [product.id] });
    expect((await merchant.test.delete(`${path}/${id}`)).status).toBe(204);
    expect(await app.rows('select 1 from media_key_products where media_key_id = $1', [id])).toEqual([]);
  });

  test.skipIf(!onPostgres)('is linked to nothing and unlinked from nothing once it goes', async () => {
    const product = await createProduct(merchant.test);
    const { id } = await make({ product_ids: [product.id] });
    const side = `/api/v1/m/products/${product.id}/media_keys`;
    const calls = [
      () => merchant.test.delete(`${path}/${id}`),
      () => merchant.test.post(`${path}/${id}/products`, { product_ids: [product.id] }),
      () => merchant.test.post(side, { media_key_id: id }),
      () => merchant.test.delete(`${side}/${id}`),
    ];
    const replies: Promise<Reply>[] = [];
    await whileLocked(app, 'media_keys', id, async () => {
      for (const [index, call] of calls.entries()) {
        replies.push(call());
        await untilWaiting(app, index + 1);
      }
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([204, 404, 404, 404]);
  });
});

describe('a product', () => {
  test('has a key of its own, made on first use', async () => {
    const product = await createProduct(merchant.test);
    const base = `/api/v1/m/products/${product.slug}`;
    const first = await merchant.test.get(`${base}/key`);
    const own = (await merchant.test.get(`${path}/${first.body.id}`)).body;
    expect(own).toMatchObject({ name: product.name, browser_delivery: true, product_ids: [product.id] });
    expect([first.status, (await merchant.test.get(`${base}/key`)).body]).toEqual([200, first.body]);
    const rotated = await merchant.test.post(`${base}/rotate_key`, {});
    expect(rotated.body.previous_key).toBe(first.body.key);
    const pending = async () => (await merchant.test.get(base)).body.key_rotation_pending;
    expect(await pending()).toBe(true);
    expect((await merchant.test.post(`${base}/rotate_key`, {})).status).toBe(409);
    const cleared = await merchant.test.post(`${base}/clear_old_key`, {});
    expect(cleared.body).toEqual((await merchant.test.get(base)).body);
    expect(await pending()).toBe(false);
    expect(await eventBodies(app, merchant.id, 'product.key_rotated')).toHaveLength(1);
    expectRefused(await merchant.publishable.get(`${base}/key`), 403, 'forbidden');
  });

  test('gets one key however many ask for the first time at once, and one new one however many rotate', async () => {
    const product = await createProduct(merchant.test);
    const base = `/api/v1/m/products/${product.id}`;
    const seen = await Promise.all(many(() => merchant.test.get(`${base}/key`)));
    expect(new Set(seen.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(await app.rows('select id from media_keys where own_product_id = $1', [product.id])).toHaveLength(1);
    const other = await createProduct(merchant.test);
    const tries = await Promise.all(many(() => merchant.test.post(`/api/v1/m/products/${other.id}/rotate_key`, {})));
    expect(tries.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
  });

  test('always has one to show, also while that is removed', async () => {
    const product = await createProduct(merchant.test);
    const ask = () => merchant.test.get(`/api/v1/m/products/${product.id}/key`);
    for (let round = 0; round < 10; round += 1) {
      const { id } = (await ask()).body;
      const removed = merchant.test.delete(`${path}/${id}`);
      const asked = await Promise.all(many(ask));
      expect([(await removed).status, ...asked.map(({ status }) => status)]).toEqual([204, ...many(() => 200)]);
    }
  });
});
