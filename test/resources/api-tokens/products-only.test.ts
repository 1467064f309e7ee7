import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import { Client } from '../../harness/client.ts';
import { books, expectError, expectInvalid } from '../../harness/expect.ts';
import { McpClient } from '../../harness/mcp.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const tokens = '/api/v1/m/api_tokens';
const sessions = '/api/v1/pub/checkout_sessions';
const forProduct = (id: string) => ({ checkout_session: { product_id: id } });
const forAmount = { checkout_session: { amount_cents: 500, currency: 'usd' } };

async function newShop() {
  const merchant = await app.newMerchant();
  const product = await createProduct(merchant.test);
  const created = await publishableToken(merchant, { products_only: true });
  return { merchant, product, created, page: new Client(app.app, created.key, created.id) };
}

async function publishableToken({ test: client }: TestMerchant, members: Record<string, unknown>) {
  const reply = await client.post(tokens, { api_token: { name: 'Shop', token_type: 'publishable', ...members } });
  expect(reply.status).toBe(201);
  return reply.body;
}

test('it sells products, and never an amount that a page names', async () => {
  const { page, product, created } = await newShop();
  expect(created.products_only).toBe(true);
  const before = await books(app);
  expectError(await page.post(sessions, forAmount), 'forbidden', { message: /product_id/ });
  expectError(
    await page.post(sessions, { checkout_session: { ...forAmount.checkout_session, product_id: null } }),
    'forbidden',
  );
  expectError(await page.post(sessions, { checkout_session: {} }), 'forbidden', { message: /product_id/ });
  expect(await books(app)).toEqual(before);

  const sold = await page.post(sessions, {
    checkout_session: { ...forAmount.checkout_session, product_id: product.id },
  });
  expect(sold.status).toBe(201);
  expect(sold.body.amount_cents).toBe(product.price_cents);
  expect((await page.post(sessions, forProduct(product.slug))).status).toBe(201);
  expect((await page.get('/api/v1/m/catalog')).status).toBe(200);
});

test('it holds over MCP as well', async () => {
  const { created, product } = await newShop();
  const agent = new McpClient(app.app, created.key);
  const refused = await agent.call('create_checkout_session', { amount_cents: 500, currency: 'usd' });
  expect(JSON.stringify(refused)).toMatch(/products only/);
  const sold = await agent.call('create_checkout_session', { product_id: product.id });
  expect(JSON.stringify(sold)).toMatch(/checkout_url/);
});

test('it is set and lifted later, and goes over to the key that replaces it', async () => {
  const { merchant, page, created } = await newShop();
  const change = (members: Record<string, unknown>) =>
    merchant.test.patch(`${tokens}/${created.id}`, { api_token: members });
  expect((await change({ name: 'Window' })).body).toMatchObject({ name: 'Window', products_only: true });

  const rolled = (await merchant.test.post(`${tokens}/${created.id}/roll`, { overlap_seconds: 60 })).body;
  expect(rolled.products_only).toBe(true);
  expectError(await new Client(app.app, rolled.key, rolled.id).post(sessions, forAmount), 'forbidden');

  expect((await change({ products_only: null })).body.products_only).toBe(false);
  expect((await page.post(sessions, forAmount)).status).toBe(201);
  expect((await change({ products_only: true })).body.products_only).toBe(true);
  expectError(await page.post(sessions, forAmount), 'forbidden');
});

test('a secret token is not held to it', async () => {
  const merchant = await app.newMerchant();
  const body = (members: Record<string, unknown>) => ({ api_token: { name: 'Till', ...members } });
  expectInvalid(await merchant.test.post(tokens, body({ products_only: true })), /publishable tokens only/);
  expectInvalid(await merchant.test.post(tokens, body({ products_only: 'yes' })), /products_only/);
  const secret = (await merchant.test.post(tokens, body({ products_only: false }))).body;
  expect(secret.products_only).toBe(false);
  expectInvalid(
    await merchant.test.patch(`${tokens}/${secret.id}`, { api_token: { products_only: true } }),
    /publishable tokens only/,
  );
});

test('keys without it keep asking for amounts', async () => {
  const { merchant } = await newShop();
  expect((await merchant.publishable.post(sessions, forAmount)).status).toBe(201);
  expect((await merchant.test.post('/api/v1/checkout_sessions', forAmount)).status).toBe(201);
});
