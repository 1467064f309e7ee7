import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';
import type { Client } from '../../harness/client.ts';
import { expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/products';
const names = async (client: Client, query = '') => {
  const reply = await client.get(`${path}?${query}`);
  expect(reply.status).toBe(200);
  return reply.body.data.map((product: { name: string }) => product.name);
};

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'catalog:read' });

test('has the envelope and whole products, by position', async () => {
  const { test: client, live } = await app.newMerchant();
  const second = await createProduct(client, { name: 'Second', position: 5 });
  const third = await createProduct(client, { name: 'Third', position: 5 });
  const first = await createProduct(client, { name: 'First', position: 0, status: 'inactive' });
  const { body } = await client.get(path);
  expect(body).toEqual({
    object: 'list',
    data: [first, second, third],
    meta: { current_page: 1, per_page: 25, total_count: 3, total_pages: 1, next_page: null, prev_page: null },
  });
  const { body: paged } = await client.get(`${path}?per_page=1&page=2`);
  expect(paged.data).toEqual([second]);
  expect(paged.meta).toMatchObject({ total_count: 3, next_page: 3, prev_page: 1 });
  expect(await names(live)).toEqual([]);
});

test('leaves archived products out until they are asked for', async () => {
  const { test: client } = await app.newMerchant();
  await createProduct(client, { name: 'Kept' });
  const gone = await createProduct(client, { name: 'Gone' });
  await client.delete(`${path}/${gone.id}`);
  expect(await names(client)).toEqual(['Kept']);
  expect(await names(client, 'q[status_eq]=archived')).toEqual(['Gone']);
  expect(await names(client, 'q[status_in]=active,archived')).toEqual(['Kept', 'Gone']);
  expect(await names(client, 'q[status_not_eq]=archived')).toEqual(['Kept']);
});

describe('filters', () => {
  let merchant: TestMerchant;
  let at: string;
  beforeAll(async () => {
    merchant = await app.newMerchant();
    await createProduct(merchant.test, { name: 'Black coffee', sku: 'C-1', external_ref: 'a' });
    app.clock.advanceSeconds(60);
    at = (await createProduct(merchant.test, { name: '50 %_off tea', sku: 'T-1', external_ref: 'b' })).created_at;
    app.clock.advanceSeconds(60);
    await createProduct(merchant.test, { name: 'White COFFEE', status: 'inactive' });
  });

  test.each([
    ['q[name_cont]=coffee', ['Black coffee', 'White COFFEE']],
    ['q[name_cont]=%25_OFF', ['50 %_off tea']],
    ['q[name_cont]=_', ['50 %_off tea']],
    ['q[name_eq]=Black coffee', ['Black coffee']],
    ['q[status_eq]=active', ['Black coffee', '50 %_off tea']],
    ['q[status_eq]=inactive', ['White COFFEE']],
    ['q[sku_eq]=C-1', ['Black coffee']],
    ['q[sku_in]=C-1,T-1', ['Black coffee', '50 %_off tea']],
    ['q[external_ref_eq]=b', ['50 %_off tea']],
    ['q[external_ref_not_eq]=b', ['Black coffee', 'White COFFEE']],
    ['q[name_cont]=coffee&q[status_eq]=active', ['Black coffee']],
  ])('%s', async (query, expected) => {
    expect(await names(merchant.test, query)).toEqual(expected);
  });

  test('created_at takes a printed time', async () => {
    expect(await names(merchant.test, `q[created_at_eq]=${at}`)).toEqual(['50 %_off tea']);
    expect(await names(merchant.test, `q[created_at_gteq]=${at}`)).toEqual(['50 %_off tea', 'White COFFEE']);
    expect(await names(merchant.test, `q[created_at_lteq]=${at}`)).toEqual(['Black coffee', '50 %_off tea']);
  });

  test('others are refused by name', async () => {
    expectInvalid(await merchant.test.get(`${path}?q[slug_eq]=x`), unknownFilter('q[slug_eq]'));
    expectInvalid(await merchant.test.get(`${path}?q[status_eq]=sold`), /^q\[status_eq\] must be one of/);
    expectInvalid(await merchant.test.get(`${path}?sku=C-1`), /write q\[sku_eq\]/);
  });
});
