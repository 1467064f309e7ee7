import type { TestApp } from './app.ts';
import { createProduct } from './catalog.ts';
import type { Client } from './client.ts';

/** Somebody buys a product at a checkout. @returns the product, the order and the access token of the purchase. */
export async function buy(app: TestApp, client: Client, members: Record<string, unknown> = {}) {
  const product = await createProduct(client, { resource_type: 'digital_download', ...members });
  const { token, orderId } = await buyAgain(app, client, product.id);
  return { product, token, orderId };
}

/** The same for a product that is there. */
export async function buyAgain(app: TestApp, client: Client, productId: string) {
  const { body } = await client.post('/api/v1/m/checkout_sessions', { checkout_session: { product_id: productId } });
  await app.app.inject({ method: 'POST', url: `/checkout/${body.token}/simulate_payment` });
  const status = (await app.app.inject({ method: 'GET', url: `/checkout/${body.token}/status` })).json();
  return { token: status.access_token as string, orderId: status.order_id as string, status };
}
