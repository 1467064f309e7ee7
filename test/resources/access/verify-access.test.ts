import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signAccessToken } from '../../../src/entitlements/access-token.ts';
import { buy } from '../../harness/access.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';

const path = '/api/v1/m/access/verify';
const publicPath = '/api/v1/pub/access/verify';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const verify = (access_token: unknown, more = {}) => merchant.test.post(path, { access_token, ...more });
const verifyPublic = (access_token: unknown, headers = {}) =>
  merchant.publishable.post(publicPath, { access_token }, headers);

describe('a living token', () => {
  test('says what it opens and for how long', async () => {
    const { product, token, orderId } = await buy(app, merchant.test, { access_duration_seconds: 3600 });
    app.clock.advanceSeconds(600);
    const { status, body } = await verify(token);
    const now = Math.floor(app.clock.now().getTime() / 1000);
    expect([status, body]).toEqual([
      200,
      {
        valid: true,
        remaining_seconds: 3000,
        server_time: now,
        expires_at: now + 3000,
        product_id: product.id,
        order_id: orderId,
        media_key_id: null,
      },
    ]);
    expect((await verifyPublic(token)).body).toEqual({
      valid: true,
      remaining_seconds: 3000,
      resource_id: product.id,
      resource_type: 'digital_download',
    });
  });

  test('has the form that clients read', async () => {
    const { product, token, orderId } = await buy(app, merchant.test);
    const [payload, signature] = token.split('--');
    expect(signature).toMatch(/^[0-9a-f]{64}$/);
    const message = JSON.parse(Buffer.from(payload!, 'base64').toString());
    expect(message).toEqual({
      _rails: {
        data: { order_id: orderId, product_id: product.id, exp: expect.any(Number) },
        exp: expect.stringMatching(/^2127-/),
        pur: 'access_token',
      },
    });
  });

  test('may come in the header, which wins', async () => {
    const { token } = await buy(app, merchant.test);
    expect((await verifyPublic(undefined, { 'x-access-token': token })).status).toBe(200);
    expect((await verifyPublic('nonsense', { 'x-access-token': token })).status).toBe(200);
    expect((await verifyPublic(token, { 'x-access-token': 'nonsense' })).status).toBe(402);
  });

  test('outlives the product’s archive, a longer duration that comes later changes nothing', async () => {
    const { product, token } = await buy(app, merchant.test, { access_duration_seconds: 3600 });
    await merchant.test.patch(`/api/v1/m/products/${product.id}`, { product: { access_duration_seconds: 7200 } });
    expect((await verify(token)).body.remaining_seconds).toBe(3600);
    await merchant.test.delete(`/api/v1/m/products/${product.id}`);
    expect((await verify(token)).status).toBe(200);
  });

  test('hands out the key that is linked to its product, and no other', async () => {
    const { product, token } = await buy(app, merchant.test);
    const make = async (product_ids: string[]) =>
      (await merchant.test.post('/api/v1/m/media_keys', { media_key: { product_ids } })).body.id as string;
    const linked = await make([product.id]);
    const { key } = (await merchant.test.get(`/api/v1/m/media_keys/${linked}/key`)).body;
    expect((await verify(token, { media_key_id: linked })).body).toMatchObject({ media_key_id: linked, key });
    const fresh = (await merchant.test.post(`/api/v1/m/media_keys/${linked}/rotate`, {})).body;
    expect((await verify(token, { media_key_id: linked })).body.key).toBe(fresh.key);
    for (const media_key_id of [await make([]), 'nonsense', product.id]) {
      const { status, body } = await verify(token, { media_key_id });
      expect([status, body.key, body.key_fingerprint, body.media_key_id]).toEqual([200, undefined, undefined, null]);
    }
    await merchant.test.delete(`/api/v1/m/media_keys/${linked}/products/${product.slug}`);
    expect((await verify(token, { media_key_id: linked })).body.key).toBeUndefined();
  });

  test('is not shown to a web page while a key of its product is not for browsers', async () => {
    const { product, token } = await buy(app, merchant.test);
    const page = { origin: 'https://shop.example' };
    expect((await verifyPublic(token, page)).status).toBe(200);
    const media_key = { product_ids: [product.id], browser_delivery: false };
    const { id } = (await merchant.test.post('/api/v1/m/media_keys', { media_key })).body;
    const refused = await verifyPublic(token, page);
    expect([refused.status, refused.body.error.code, refused.body.valid]).toEqual([403, 'forbidden', undefined]);
    expect((await verifyPublic(token)).status).toBe(200);
    expect((await verify(token)).status).toBe(200);
    expect((await verifyPublic(`${token}0`, page)).status).toBe(402);
    await merchant.test.patch(`/api/v1/m/media_keys/${id}`, { media_key: { browser_delivery: true } });
    expect((await verifyPublic(token, page)).status).toBe(200);
  });
});

describe('402 is the only sign of a dead one', () => {
  async function expectDead(token: string): Promise<void> {
    for (const reply of [await verify(token), await verifyPublic(token)]) {
      expect([reply.status, reply.body.error.code]).toEqual([402, 'payment_required']);
    }
  }

  test('tampered with, truncated, swapped, or nothing of the kind', async () => {
    const [one, two] = [await buy(app, merchant.test), await buy(app, merchant.test)];
    const [payload, signature] = one.token.split('--') as [string, string];
    const other = Buffer.from(payload, 'base64').toString().replace(one.product.id, two.product.id);
    for (const token of [
      `${payload}--${signature.toUpperCase()}`,
      `${payload}--${signature.slice(0, -1)}`,
      `${payload}--${two.token.split('--')[1]}`,
      `${Buffer.from(other).toString('base64')}--${signature}`,
      `${payload}-${signature}`,
      payload,
      `${one.token}\n`,
      'a'.repeat(4000),
      `${'a'.repeat(5000)}--${signature}`,
    ]) {
      await expectDead(token);
    }
  });

  test('over', async () => {
    const { token } = await buy(app, merchant.test, { access_duration_seconds: 60 });
    // Whole seconds, and never 0 while it lives.
    for (const seconds of [58.5, 1]) {
      app.clock.advanceSeconds(seconds);
      expect((await verify(token)).body.remaining_seconds).toBe(1);
    }
    app.clock.advanceSeconds(0.5);
    await expectDead(token);
  });

  test('of another merchant or mode', async () => {
    const { token } = await buy(app, merchant.test);
    const stranger = await app.newMerchant();
    await buy(app, stranger.test);
    expect((await stranger.test.post(path, { access_token: token })).status).toBe(402);
    expect((await merchant.live.post(path, { access_token: token })).status).toBe(402);
    expect((await merchant.livePublishable.post(publicPath, { access_token: token })).status).toBe(402);
  });

  test('of an order that was refunded in full, not in part', async () => {
    const { token, orderId } = await buy(app, merchant.test);
    const [sale] = (await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`)).body.data;
    const refund = (amount_cents: number) =>
      merchant.test.post(`/api/v1/m/sales/${sale.id}/refunds`, { refund: { amount_cents } });
    await refund(1);
    expect((await verify(token)).status).toBe(200);
    await refund(sale.total_cents - 1);
    await expectDead(token);
  });

  test('for another purpose, though we signed it', async () => {
    const key = await app.parts.accessKeys.require({ merchantId: merchant.id, livemode: false });
    const expiresAt = new Date(app.clock.now().getTime() + 60_000);
    const { token } = await buy(app, merchant.test);
    const message = JSON.parse(Buffer.from(token.split('--')[0]!, 'base64').toString());
    message._rails.pur = 'password_reset';
    const { createHmac } = await import('node:crypto');
    const payload = Buffer.from(JSON.stringify(message)).toString('base64');
    await expectDead(`${payload}--${createHmac('sha256', key).update(payload).digest('hex')}`);
    await expectDead(signAccessToken({ orderId: 'x', productId: 'y', expiresAt }, key).replace('--', '--0'));
  });

  test('of the first kind opens its resource, but no key', async () => {
    const key = await app.parts.accessKeys.require({ merchantId: merchant.id, livemode: false });
    const expiresAt = new Date(app.clock.now().getTime() + 60_000);
    const token = signAccessToken({ resourceId: 'film-7', resourceType: 'video', expiresAt }, key);
    expect((await verify(token)).body).toMatchObject({ valid: true, product_id: null, order_id: null });
    expect((await verifyPublic(token)).body).toMatchObject({ resource_id: 'film-7', resource_type: 'video' });
    const media = (await merchant.test.post('/api/v1/m/media_keys', { media_key: {} })).body;
    expect((await verify(token, { media_key_id: media.id })).status).toBe(402);
  });
});

describe('who may ask', () => {
  test('nobody without a token, or with what can be none: 400', async () => {
    for (const token of [undefined, null, '', 7, 'a\u0000b', '\ud800']) {
      expect((await verify(token)).status).toBe(400);
      expect((await verifyPublic(token)).status).toBe(400);
    }
  });

  test('also for a merchant who is suspended: what was paid for goes on', async () => {
    const closed = await app.newMerchant();
    const { token } = await buy(app, closed.test);
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [closed.id]);
    app.parts.authenticator.forget();
    expect((await closed.test.get('/api/v1/m/orders')).status).toBe(403);
    expect((await closed.test.post(path, { access_token: token })).status).toBe(200);
    expect((await closed.publishable.post(publicPath, { access_token: token })).status).toBe(200);
  });

  test('keys of the right kind, at the right door', async () => {
    const { token } = await buy(app, merchant.test);
    expect((await app.stranger.post(path, { access_token: token })).status).toBe(401);
    expect((await app.stranger.post(publicPath, { access_token: token })).status).toBe(401);
    expect((await merchant.publishable.post(path, { access_token: token })).status).toBe(403);
    const shop = await app.newMerchant();
    const bought = await buy(app, shop.test);
    await shop.test.patch('/api/v1/m/merchant', { merchant: { privapaid_enabled: false } });
    expect((await shop.publishable.post(publicPath, { access_token: bought.token })).status).toBe(403);
  });
});
