import type { Client } from './client.ts';

/** A valid body for creating an order; members given here are laid over it. */
export function orderBody(order: Record<string, unknown> = {}, beside: Record<string, unknown> = {}) {
  return {
    order: {
      total_amount_cents: 500,
      currency: 'usd',
      items: [{ name: 'Coffee', price_cents: 500, qty: 1 }],
      ...order,
    },
    ...beside,
  };
}

/** Creates an order. @throws unless it is made. */
export async function createOrder(client: Client, order: Record<string, unknown> = {}) {
  const reply = await client.post('/api/v1/m/orders', orderBody(order));
  if (reply.status !== 201) throw new Error(`No order: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Creates an order with an open invoice. @throws unless both are made. */
export async function createOrderWithInvoice(client: Client, order: Record<string, unknown> = {}) {
  const reply = await client.post('/api/v1/m/orders', orderBody(order, { generate_invoice: true }));
  if (reply.status !== 201) throw new Error(`No order: ${JSON.stringify(reply.body)}`);
  return reply.body;
}
