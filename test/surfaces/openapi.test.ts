import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv, type ValidateFunction } from 'ajv';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src/kernel/errors.ts';
import { parseTimestamp } from '../../src/kernel/timestamp.ts';
import { operations } from '../../src/resources/index.ts';
import { invoiceOperations } from '../../src/resources/invoices/index.ts';
import { orderOperations } from '../../src/resources/orders/index.ts';
import { paymentOperations } from '../../src/resources/payments/index.ts';
import { walletOperations } from '../../src/resources/wallets/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createDiscount, createProduct } from '../harness/catalog.ts';
import type { Reply } from '../harness/client.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { addLiveWallet, addWallet, changeWallet, type LiveWallet, testWalletId } from '../harness/wallets.ts';

type Json = Record<string, unknown>;
interface Described {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

let app: TestApp;
let live: LiveWallet;
let document: { paths: Record<string, Record<string, Described>>; components: { schemas: Record<string, Json> } };
beforeAll(async () => {
  app = await openTestApp();
  live = await addLiveWallet(app);
  document = (await app.stranger.get('/api/v1/openapi.json')).body;
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
  await live.close();
});

function* objectsOf(value: unknown, path = '#'): Generator<[path: string, value: Json]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, member] of Object.entries(value)) yield* objectsOf(member, `${path}/${key}`);
}

const described = (name: string): Described => {
  const { path, method } = operations.find((operation) => operation.name === name)!;
  return document.paths[path]![method.toLowerCase()]!;
};

describe('the document', () => {
  test('is valid OpenAPI 3.0.3 (case C126)', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document) as Record<string, unknown>);
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    expect(validator.version).toBe('3.0');
    expect(document).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' } });
  });

  test('keeps to the words of 3.0: no null types, no lists of types, no numeric exclusive limits', () => {
    const bad: string[] = [];
    for (const [path, value] of objectsOf(document)) {
      const isSchema = typeof value.type === 'string' || Array.isArray(value.type);
      if (value.type === 'null' || (isSchema && Array.isArray(value.type))) bad.push(`${path}: type`);
      if (typeof value.exclusiveMinimum === 'number' || typeof value.exclusiveMaximum === 'number') bad.push(path);
      if ('const' in value || '$defs' in value || 'patternProperties' in value) bad.push(`${path}: a word of 3.1`);
      if (value.nullable === true && typeof value.type !== 'string') bad.push(`${path}: nullable without a type`);
      if (value.nullable === true && Array.isArray(value.enum) && !value.enum.includes(null)) bad.push(`${path}: enum`);
      if (Object.keys(value).some((key) => key.startsWith('~') || key === 'x-trim' || key === 'x-metadata'))
        bad.push(path);
    }
    expect(bad).toEqual([]);
  });

  test('has every operation, once, with its summary, its success and the refusals all have', () => {
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`),
    );
    expect(listed.toSorted()).toEqual(
      operations.map(({ name, method, path }) => `${name} ${method} ${path}`).toSorted(),
    );
    for (const operation of operations) {
      const { summary, responses, parameters = [] } = described(operation.name);
      expect(summary).toBe(operation.summary);
      const refusals = operation.access.public ? [] : ['401', '403'];
      const all = [String(operation.status), ...refusals, '429', '500'];
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(all));
      const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(placeholders);
      if (placeholders.length > 0) expect(responses).toHaveProperty('404');
    }
  });

  test('sorts operations under nouns, in whichever namespace they stand', () => {
    const tagsOf = (path: string) => Object.values(document.paths[path]!).map(({ tags }) => tags);
    expect(tagsOf('/api/v1/checkout_sessions/{id}')).toEqual([['checkout_sessions']]);
    expect(tagsOf('/api/v1/pub/channels')).toEqual([['channels']]);
    expect(tagsOf('/api/v1/rates')).toEqual([['rates']]);
    expect(tagsOf('/api/v1/m/orders')).toEqual([['orders'], ['orders']]);
  });

  test('names the headers that carry what a body may carry too', () => {
    const headers = (name: string) => described(name).parameters?.filter((one) => one.in === 'header');
    expect(headers('verify_public_access_token')).toMatchObject([{ name: 'X-Access-Token' }]);
    expect(headers('create_order')).toMatchObject([{ name: 'Idempotency-Key' }]);
  });

  test('says that unknown members are welcome, as they are', () => {
    const closed = [...objectsOf(document)].filter(([, value]) => value.additionalProperties === false);
    expect(closed.map(([path]) => path)).toEqual([]);
  });

  test('carries the public address and the way to send a key', () => {
    expect(document).toMatchObject({
      servers: [{ url: app.parts.links.publicUrl }],
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    });
  });

  test('names query parameters that are all accepted', async () => {
    const { test: client } = await app.newMerchant();
    const fitting = ({ type, format, maxLength, enum: words }: Json) => {
      if (Array.isArray(words)) return String(words[0]);
      if (type === 'integer') return '1';
      if (maxLength === 3) return 'usd';
      if (type === 'boolean') return 'true';
      if (format === 'uuid') return '01900000-0000-7000-8000-000000000000';
      return format === 'date-time' ? '2027-01-01T00:00:00.000Z' : 'x';
    };
    // A stream that is let in goes on for ever.
    const streams = new Set(operations.filter(({ answer }) => answer.kind === 'stream').map(({ path }) => path));
    for (const [path, methods] of Object.entries(document.paths)) {
      if (streams.has(path)) continue;
      for (const { name, schema, in: place } of methods.get?.parameters ?? []) {
        // What a list of values may hold is said by the filter it belongs to.
        if (place !== 'query' || path.includes('{') || !name.startsWith('q[') || name.endsWith('_in]')) continue;
        const reply = await client.get(`${path}?${encodeURIComponent(name)}=${encodeURIComponent(fitting(schema))}`);
        expect([path, name, reply.status]).toEqual([path, name, 200]);
      }
    }
  });
});

// 3.0 says `nullable: true` where JSON Schema says `type: [..., "null"]`; objects are closed so that a member nobody
// described is found.
function toJsonSchema(schema: Json): Json {
  const { nullable, type, properties, items, anyOf, additionalProperties, ...rest } = schema;
  const shape: Json = {
    ...rest,
    ...(type === undefined ? {} : { type: nullable ? [type, 'null'] : type }),
    ...(items ? { items: toJsonSchema(items as Json) } : {}),
    ...(anyOf ? { anyOf: (anyOf as Json[]).map(toJsonSchema) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: toJsonSchema(additionalProperties as Json) }
      : {}),
  };
  if (!properties) return shape;
  const members = Object.entries(properties as Record<string, Json>).map(([name, one]) => [name, toJsonSchema(one)]);
  return { additionalProperties: false, ...shape, properties: Object.fromEntries(members) };
}

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: {
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    'date-time': (text: string) => parseTimestamp(text)?.toISOString() === text,
    email: true,
  },
});
const compiled = new Map<string, ValidateFunction>();
const recorded = new Set<string>();

/** Checks one answer against what the document says of the operation's answers with that status. */
function expectToConform(name: string, reply: Reply, status: number): void {
  expect({ name, status: reply.status, error: reply.body?.error }).toMatchObject({ name, status });
  const answer = described(name).responses[status];
  expect(answer, `${name} does not document ${status}`).toBeDefined();
  recorded.add(name);
  if (!answer!.content) {
    expect(reply.body).toBe('');
    return;
  }
  const [mediaType, { schema }] = Object.entries(answer!.content)[0]!;
  expect(reply.headers['content-type']!.split(';')[0]).toBe(mediaType);
  if (mediaType !== 'application/json') return;
  const key = `${name} ${status}`;
  const shape = '$ref' in schema ? document.components.schemas.error! : schema;
  const validate = compiled.get(key) ?? ajv.compile(toJsonSchema(shape));
  compiled.set(key, validate);
  validate(reply.body);
  expect(validate.errors ?? [], `${key}: ${JSON.stringify(reply.body)}`).toEqual([]);
}

describe('recorded answers conform', () => {
  const unknown = '01900000-0000-7000-8000-000000000000';
  const orders = '/api/v1/m/orders';
  const invoices = '/api/v1/m/invoices';
  let merchant: TestMerchant;
  beforeAll(async () => {
    merchant = await app.newMerchant();
  });

  test('orders, in every state', async () => {
    const { test: client } = merchant;
    const full = {
      customer_email: 'a@b.co',
      channel_id: 'c',
      discount_id: (await createDiscount(client)).id,
      wallet_id: await testWalletId(app, merchant),
      metadata: { a: [1, null, { b: 'c' }], 'strange "key"': 1.5 },
      items: [
        { name: 'A', price_cents: 1, qty: 2, description: 'x', sku: 'y', product_id: (await createProduct(client)).id },
      ],
    };
    const created = await client.post(orders, orderBody(full, { generate_invoice: true }));
    expectToConform('create_order', created, 201);
    const cash = await client.post(orders, orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
    expectToConform('create_order', cash, 201);
    vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
      throw new AppError('rate_unavailable', 'No fresh rate', { retryAfterSeconds: 3 });
    });
    const priceless = await client.post(orders, orderBody({ tender_type: 'cash' }));
    expectToConform('create_order', priceless, 201);
    expect(priceless.body.btc_usd_price_at_creation).toBeNull();
    expectToConform('create_order', await client.post(orders, orderBody()), 503);
    vi.restoreAllMocks();
    const plain = await createOrder(client);
    const gone = await createOrder(client);
    expectToConform('cancel_order', await client.delete(`${orders}/${gone.id}`), 204);

    for (const { id } of [created.body, cash.body, priceless.body, plain, gone]) {
      expectToConform('get_order', await client.get(`${orders}/${id}?expand=invoice,payment`), 200);
    }
    expectToConform('update_order', await client.patch(`${orders}/${plain.id}`, { order: { currency: 'jpy' } }), 200);
    await client.post(`${invoices}/${created.body.invoice.id}/simulate_payment`, { amount_sats: 9999 });
    const overpaid = await client.get(`${orders}/${created.body.id}?expand=invoice`);
    expect(overpaid.body.attention).toBe('overpaid');
    expectToConform('get_order', overpaid, 200);
    expectToConform(
      'update_order',
      await client.patch(`${orders}/${created.body.id}`, { order: { po_number: 'x' } }),
      200,
    );
    expectToConform('list_orders', await client.get(`${orders}?expand=invoice,payment,merchant`), 200);
    expectToConform('list_orders', await client.get(`${orders}?page=999`), 200);
    expectToConform('list_orders', await merchant.live.get(orders), 200);
  });

  test('invoices: unpaid, expired, held, paid, live', async () => {
    const { test: client } = merchant;
    const { invoice, id } = await createOrderWithInvoice(client);
    const generated = await client.post(`${invoices}/generate`, { order_id: id });
    expectToConform('generate_invoice', generated, 201);
    const everywhere = async () => {
      expectToConform('get_invoice', await client.get(`${invoices}/${invoice.id}`), 200);
      expectToConform('check_invoice_status', await client.get(`${invoices}/${invoice.id}/status`), 200);
      expectToConform('get_invoice_qr', await client.get(`${invoices}/${invoice.id}/qr`), 200);
    };
    await everywhere();
    app.clock.advanceSeconds(1000);
    await everywhere();
    const later = await client.post(`${invoices}/${invoice.id}/simulate_payment`, { after_seconds: 100 });
    expectToConform('simulate_invoice_payment', later, 200);
    expect(later.body.object).toBe('scheduled_payment');
    const paid = await client.post(`${invoices}/${invoice.id}/simulate_payment`);
    expectToConform('simulate_invoice_payment', paid, 200);
    expect(paid.body.object).toBe('payment');
    await everywhere();

    const walletId = await testWalletId(app, merchant);
    await changeWallet(app, walletId, { settings: { hold: true } });
    const held = await createOrderWithInvoice(client);
    const status = await client.get(`${invoices}/${held.invoice.id}/status`);
    expect(status.body.held).toBe(true);
    expectToConform('check_invoice_status', status, 200);
    await changeWallet(app, walletId, { settings: {} });

    const liveId = await live.invoiceFor(merchant);
    expectToConform('get_invoice', await merchant.live.get(`${invoices}/${liveId}`), 200);
  });

  test('payments: lightning, cash, and one without proof', async () => {
    const { test: client } = merchant;
    const { invoice } = await createOrderWithInvoice(client);
    await app.rows(
      `insert into simulated_payments (payment_hash, settles_at, received_msat, with_preimage, created_at)
       values ($1, $2, 5000000, false, $2)`,
      [invoice.payment_hash, app.clock.now()],
    );
    const unproven = await client.post(`${invoices}/${invoice.id}/simulate_payment`);
    expect(unproven.body.preimage).toBeNull();
    const list = await client.get('/api/v1/m/payments');
    expectToConform('list_payments', list, 200);
    expect(new Set(list.body.data.map((one: { amount_sats: number | null }) => one.amount_sats === null)).size).toBe(2);
    for (const { id } of list.body.data)
      expectToConform('get_payment', await client.get(`/api/v1/m/payments/${id}`), 200);
  });

  test('wallets, well and ill, and merchants', async () => {
    const ill = await app.newMerchant();
    const walletId = await testWalletId(app, ill);
    await changeWallet(app, walletId, { settings: { fail: true }, enabled: true });
    await ill.test.post(orders, orderBody({}, { generate_invoice: true }));
    await addWallet(app, ill, { enabled: false, max_payment_sats: 5, notes: ['A remark'] });
    for (const { test: client } of [merchant, ill]) {
      const list = await client.get('/api/v1/m/wallets');
      expectToConform('list_wallets', list, 200);
      for (const { id } of list.body.data)
        expectToConform('get_wallet', await client.get(`/api/v1/m/wallets/${id}`), 200);
      expectToConform('get_merchant', await client.get('/api/v1/m/merchant'), 200);
    }
    expectToConform('get_merchant', await ill.live.get('/api/v1/m/merchant'), 200);
  });

  test('refusals of every status', async () => {
    const { test: client, live: liveClient, publishable } = merchant;
    const json = { 'content-type': 'application/json' };
    const paid = await createOrderWithInvoice(client);
    await client.post(`${invoices}/${paid.invoice.id}/simulate_payment`);
    const key = { 'idempotency-key': 'once' };
    await client.post(orders, orderBody(), key);
    expectToConform('create_order', await client.raw('POST', orders, '{', json), 400);
    expectToConform('create_order', await app.stranger.post(orders, {}), 401);
    expectToConform('create_order', await publishable.post(orders, {}), 403);
    expectToConform('create_order', await client.post(orders, orderBody({ wallet_id: unknown })), 404);
    expectToConform('create_order', await client.raw('POST', orders, ' '.repeat(2 ** 20 + 1), json), 413);
    expectToConform('create_order', await client.raw('POST', orders, 'x', { 'content-type': 'text/plain' }), 415);
    expectToConform('create_order', await client.post(orders, {}), 422);
    expectToConform('create_order', await client.post(orders, orderBody({ currency: 'eur' }), key), 422);
    expectToConform('create_order', await liveClient.post(orders, orderBody({}, { generate_invoice: false })), 201);
    expectToConform('list_orders', await client.get(`${orders}?q[x_eq]=1`), 422);
    expectToConform('get_order', await client.get(`${orders}/${unknown}`), 404);
    expectToConform('get_order', await client.get(`${orders}/${paid.id}?expand=x`), 422);
    expectToConform('update_order', await client.patch(`${orders}/${unknown}`, { order: {} }), 404);
    expectToConform('update_order', await client.patch(`${orders}/${paid.id}`, { order: { status: 'pending' } }), 409);
    expectToConform('cancel_order', await client.delete(`${orders}/${paid.id}`), 409);
    expectToConform('cancel_order', await client.delete(`${orders}/${paid.id}`, { 'idempotency-key': '' }), 422);
    expectToConform('cancel_order', await client.raw('DELETE', `${orders}/${paid.id}`, '{', json), 400);
    const { id: order_id } = await createOrder(client, { tender_type: 'cash' });
    expectToConform('generate_invoice', await client.post(`${invoices}/generate`, { order_id: paid.id }), 201);
    expectToConform('generate_invoice', await client.post(`${invoices}/generate`, { order_id }), 409);
    expectToConform('generate_invoice', await client.post(`${invoices}/generate`, {}), 422);
    for (const [name, path] of [
      ['get_invoice', `${invoices}/${unknown}`],
      ['get_invoice_qr', `${invoices}/${unknown}/qr`],
      ['check_invoice_status', `${invoices}/${unknown}/status`],
      ['get_payment', `/api/v1/m/payments/${unknown}`],
      ['get_wallet', `/api/v1/m/wallets/${unknown}`],
    ] as const) {
      expectToConform(name, await client.get(path), 404);
      expectToConform(name, await app.stranger.get(path), 401);
    }
    expectToConform('simulate_invoice_payment', await liveClient.post(`${invoices}/${unknown}/simulate_payment`), 403);
    expectToConform('simulate_invoice_payment', await client.post(`${invoices}/${unknown}/simulate_payment`), 404);
    const negative = { after_seconds: -1 };
    expectToConform(
      'simulate_invoice_payment',
      await client.post(`${invoices}/${paid.invoice.id}/simulate_payment`, negative),
      422,
    );
  });

  test('all of the operations above were recorded', () => {
    // Those that change wallets are recorded by their own tests.
    const shown = walletOperations.filter(({ method }) => method === 'GET');
    const folders = [orderOperations, invoiceOperations, paymentOperations, shown];
    const names = [...folders.flat().map(({ name }) => name), 'get_merchant'];
    expect([...recorded].toSorted()).toEqual(names.toSorted());
  });
});

test('requests that conform are accepted', async () => {
  const { test: client } = await app.newMerchant();
  const { schema } = described('create_order').requestBody!.content['application/json']!;
  const open = JSON.parse(JSON.stringify(toJsonSchema(schema)).replaceAll('"additionalProperties":false', '"x":0'));
  const validate = ajv.compile(open);
  const accepted = orderBody({ customer_email: 'a@b.co', metadata: null, tender_type: null, undeclared: 1 });
  expect(validate(accepted)).toBe(true);
  expect((await client.post('/api/v1/m/orders', accepted)).status).toBe(201);
  for (const wrong of [
    {},
    { order: {} },
    orderBody({ total_amount_cents: '5' }),
    orderBody({ total_amount_cents: -1 }),
    orderBody({ items: [] }),
    orderBody({ tender_type: 'card' }),
    orderBody({ metadata: [] }),
  ]) {
    expect(validate(wrong)).toBe(false);
    expect((await client.post('/api/v1/m/orders', wrong)).status).toBe(422);
  }
});
