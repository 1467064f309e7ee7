import type { TestApp } from './app.ts';
import type { Client } from './client.ts';

type Members = Record<string, unknown>;

async function make(client: Client, path: string, body: unknown) {
  const reply = await client.post(`/api/v1/m/${path}`, body);
  if (reply.status !== 201) throw new Error(`Not made: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Each makes one of its kind. @throws unless it is made. */
export const createProduct = (client: Client, product: Members = {}) =>
  make(client, 'products', { product: { name: 'Coffee', price_cents: 500, ...product } });
export const createProductType = (client: Client, type: Members = {}) =>
  make(client, 'product_types', { product_type: { name: 'Drinks', ...type } });
export const createTax = (client: Client, tax: Members = {}) =>
  make(client, 'taxes', { tax: { name: 'Sales tax', rate: '8.25', ...tax } });
export const createDiscount = (client: Client, discount: Members = {}) =>
  make(client, 'discounts', { discount: { name: 'Happy hour', kind: 'percent', percent: '10', ...discount } });

/** Everything the catalog is made of, for "nothing changed". */
export async function catalogBooks(app: TestApp): Promise<unknown[][]> {
  return Promise.all([
    app.rows('select * from products order by id'),
    app.rows('select * from product_types order by id'),
    app.rows('select * from product_type_taxes order by product_type_id, position'),
    app.rows('select * from taxes order by id'),
    app.rows('select * from discounts order by id'),
    app.rows('select * from catalog_versions order by merchant_id, livemode'),
  ]);
}

/** A product for `describeRefusals`. */
export const oneProduct = {
  path: (id: string) => `/api/v1/m/products/${id}`,
  resource: 'Product',
  make: async ({ test }: { test: Client }) => (await createProduct(test)).id as string,
  makeLive: async ({ live }: { live: Client }) => (await createProduct(live)).id as string,
};
