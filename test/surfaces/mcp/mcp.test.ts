import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';

const path = '/api/v1/mcp';
/** The interface's list. */
const toolNames =
  `create_order, get_order, list_orders, cancel_order, update_order, get_invoice, check_invoice_status, generate_invoice,
   get_invoice_qr, list_payments, get_payment, list_checkout_sessions, get_checkout_session, create_checkout_session,
   create_payment_request, get_payment_request, get_payment_request_status, get_catalog, get_catalog_version,
   list_products, get_product, create_product, update_product, delete_product, get_product_key, rotate_product_key,
   clear_product_old_key, list_product_types, get_product_type, create_product_type, update_product_type,
   delete_product_type, list_webhooks, get_webhook, create_webhook, update_webhook, delete_webhook, get_merchant,
   list_wallets, get_wallet, list_merchant_documents, get_merchant_document, get_api_token_usage, verify_access_token,
   list_subscription_plans, create_payment_link`.split(/,\s*/);

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

interface Sent {
  key?: string | undefined;
  headers?: Record<string, string>;
  body: string;
}

async function send({ key = merchant.test.key, headers = {}, body }: Sent) {
  const authorization = key === '' ? {} : { authorization: `Bearer ${key}` };
  const answer = await app.app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/json', ...authorization, ...headers },
    payload: body,
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body === '' ? undefined : answer.json() };
}
const rpc = (method: string, params?: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params ? { params } : {}),
});
const ask = async (method: string, params?: unknown) =>
  (await send({ body: JSON.stringify(rpc(method, params)) })).body;
async function call(name: string, args?: Record<string, unknown>, key?: string) {
  const { body } = await send({ key, body: JSON.stringify(rpc('tools/call', { name, arguments: args })) });
  return { isError: body.result.isError, value: JSON.parse(body.result.content[0].text) };
}

describe('the protocol', () => {
  test('shakes hands in the version that is asked for, or its own', async () => {
    for (const [asked, answered] of [
      ['2025-06-18', '2025-06-18'],
      ['2025-03-26', '2025-03-26'],
      ['2024-11-05', '2024-11-05'],
      ['2025-11-25', '2025-06-18'],
      [undefined, '2025-06-18'],
    ]) {
      const { result } = await ask('initialize', { protocolVersion: asked, capabilities: {}, clientInfo: {} });
      expect(result).toMatchObject({
        protocolVersion: answered,
        capabilities: { tools: {} },
        serverInfo: { name: 'satline', version: '1.2.1' },
      });
    }
    expect((await ask('ping')).result).toEqual({});
  });

  test('C095: other methods are 405 with JSON-RPC, before any key is looked at', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'] as const) {
      const answer = await app.app.inject({ method, url: path });
      expect([answer.statusCode, answer.headers.allow, answer.json().error.code]).toEqual([405, 'POST', -32000]);
    }
  });

  test('a missing or invalid key is 401 whatever the body holds', async () => {
    for (const key of ['', 'sk_test_nonsense']) {
      const answer = await send({ key, body: '{broken' });
      expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([401, -32001, null]);
      expect(answer.headers['www-authenticate']).toContain(
        'resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/api/v1/mcp"',
      );
    }
  });

  test('C090: envelopes', async () => {
    for (const id of ['abc', 0, -1, '']) {
      expect((await send({ body: JSON.stringify(rpc('ping', undefined, id)) })).body).toEqual({
        jsonrpc: '2.0',
        id,
        result: {},
      });
    }
    for (const broken of [
      rpc('ping', undefined, null),
      rpc('ping', undefined, {}),
      rpc('ping', undefined, 1.5),
      { ...rpc('ping'), jsonrpc: '1.0' },
      { ...rpc('ping'), method: 1 },
      { ...rpc('ping'), params: [] },
      7,
      [],
    ]) {
      const answer = await send({ body: JSON.stringify(broken) });
      expect([answer.status, answer.body.error.code], JSON.stringify(broken)).toEqual([400, -32600]);
    }
    for (const body of ['', '{', 'null x']) {
      const answer = await send({ body });
      expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32700, null]);
    }
    expect(await ask('server/discover')).toMatchObject({ error: { code: -32601 } });
    expect(await ask('tools/call', { name: 'nothing' })).toMatchObject({ error: { code: -32602 } });
    expect(await ask('tools/call', { name: 'get_merchant', arguments: [] })).toMatchObject({ error: { code: -32602 } });
  });

  test('C088: notifications are taken in silence', async () => {
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/unknown']) {
      const answer = await send({ body: JSON.stringify({ jsonrpc: '2.0', method }) });
      expect([answer.status, answer.body]).toEqual([202, undefined]);
    }
  });

  test('C087, C091: no Accept and no version header is refused but one that is no date', async () => {
    for (const accept of [
      'application/json',
      'text/event-stream',
      '*/*',
      'application/json;q=0.9, text/event-stream',
    ]) {
      const answer = await send({ headers: { accept }, body: JSON.stringify(rpc('ping')) });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    }
    const headers = (version: string) => ({ 'mcp-protocol-version': version, 'mcp-session-id': 'old' });
    expect((await send({ headers: headers('2025-11-25'), body: JSON.stringify(rpc('tools/list')) })).status).toBe(200);
    expect((await send({ headers: headers('latest'), body: JSON.stringify(rpc('tools/list')) })).status).toBe(400);
  });

  test('a batch is answered in its order, without what was only a notification', async () => {
    const batch = [
      rpc('ping', undefined, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      5,
      rpc('nothing', undefined, 2),
    ];
    const { status, body } = await send({ body: JSON.stringify(batch) });
    expect([status, body.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code])]).toEqual(
      [
        200,
        [
          ['a', undefined],
          [null, -32600],
          [2, -32601],
        ],
      ],
    );
    expect((await send({ body: JSON.stringify(Array(51).fill(rpc('ping'))) })).status).toBe(400);
  });
});

describe('the tools', () => {
  test('are those of the interface', async () => {
    const { tools } = (await ask('tools/list')).result;
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(toolNames));
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual([...toolNames].sort());
  });

  test('C092: have schemas that every model takes', async () => {
    const { tools } = (await ask('tools/list')).result;
    function check(schema: Record<string, unknown>, where: string): void {
      for (const word of [
        '$ref',
        '$defs',
        'anyOf',
        'oneOf',
        'allOf',
        'if',
        'const',
        'additionalProperties',
        'x-trim',
      ]) {
        expect(schema, `${where} ${word}`).not.toHaveProperty(word);
      }
      if (schema.type !== undefined) expect(typeof schema.type, where).toBe('string');
      if (schema.format !== undefined) expect(schema.format, where).toBe('date-time');
      const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
      for (const name of (schema.required as string[]) ?? []) expect(properties, where).toHaveProperty(name);
      for (const [name, member] of Object.entries(properties)) {
        expect(name, where).toMatch(/^[a-zA-Z0-9_]{1,64}$/);
        check(member, `${where}.${name}`);
      }
      if (schema.items) check(schema.items as Record<string, unknown>, `${where}[]`);
    }
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      check(tool.inputSchema, tool.name);
      expect(tool.description.length, tool.name).toBeGreaterThan(10);
      expect(tool.annotations).toMatchObject({ title: expect.any(String), readOnlyHint: expect.any(Boolean) });
      expect(tool).not.toHaveProperty('outputSchema');
    }
  });

  test('sell something from order to payment', async () => {
    const order = await call('create_order', { amount_cents: 1500, metadata: { table: '4' } });
    expect(order).toMatchObject({
      isError: false,
      value: { total_amount_cents: 1500, status: 'pending', invoice: { status: 'pending' } },
    });
    const { id, invoice } = order.value;
    expect((await call('get_invoice_qr', { invoice_id: invoice.id })).value).toMatchObject({
      content_type: 'image/svg+xml',
    });
    await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
    expect((await call('check_invoice_status', { invoice_id: invoice.id })).value).toMatchObject({ paid: true });
    expect((await call('get_order', { order_id: id, expand: ['invoice'] })).value).toMatchObject({ status: 'paid' });
    const listed = await call('list_orders', { status: 'paid', created_after: '2027-01-01T00:00:00Z', per_page: 5 });
    expect(listed.value.data.map((one: { id: string }) => one.id)).toContain(id);
    const sales = await merchant.test.get('/api/v1/m/sales');
    expect(sales.body.data[0]).toMatchObject({ source: 'mcp' });
  });

  test('a repeated call with its key is one order, over either door', async () => {
    const args = {
      total_amount_cents: 700,
      generate_invoice: false,
      items: [{ name: 'Tea', price_cents: 700, qty: 1 }],
    };
    const first = await call('create_order', { ...args, idempotency_key: 'once' });
    expect((await call('create_order', { ...args, idempotency_key: 'once' })).value.id).toBe(first.value.id);
    const { generate_invoice, ...order } = args;
    const rest = await merchant.test.post(
      '/api/v1/m/orders',
      { order, generate_invoice },
      { 'idempotency-key': 'once' },
    );
    expect(rest.body.id).toBe(first.value.id);
  });

  test('what the API refuses is a result that says so', async () => {
    const missing = await call('get_order', { order_id: '01a21fc3-e398-70f8-86e3-55d06b6805c1' });
    expect(missing).toMatchObject({
      isError: true,
      value: { error: { code: 'not_found', message: 'Order not found' } },
    });
    const two = await call('create_order', { amount_cents: 1, total_amount_cents: 2 });
    expect(two).toMatchObject({ isError: true, value: { error: { status: 422 } } });
    const unknown = await call('get_merchant', { color: 'red' });
    expect(unknown.value.error.details[0]).toMatch(/^color is no argument of get_merchant/);
    const text = await call('create_product', { name: 'Tea', price_cents: '500' });
    expect(text.value.error.details).toEqual(['price_cents must be a whole number']);
  });

  test('C096: null is not given, and arguments may be absent', async () => {
    expect((await call('get_merchant')).value).toMatchObject({ object: 'merchant', id: merchant.id });
    expect((await call('list_products', { status: null, page: 1 })).isError).toBe(false);
  });

  test('make a payment link', async () => {
    const link = await call('create_payment_link', { name: 'Sticker', price_cents: 300 });
    expect(link.value.payment_link_url).toMatch(/\/pay\/prod_[0-9a-f]{16}$/);
  });

  test('a publishable key may only make checkout sessions', async () => {
    const { key } = merchant.publishable;
    const session = await call('create_checkout_session', { amount_cents: 900 }, key);
    expect(session).toMatchObject({ isError: false, value: { checkout_url: expect.any(String) } });
    for (const name of ['get_catalog', 'list_orders', 'get_merchant']) {
      expect(await call(name, {}, key)).toMatchObject({ isError: true, value: { error: { status: 403 } } });
    }
  });

  test('a narrowed key is narrowed here as well', async () => {
    const narrowed = await merchant.narrowed('orders:read');
    expect((await call('list_orders', {}, narrowed.key)).isError).toBe(false);
    expect((await call('create_product', { name: 'Tea', price_cents: 1 }, narrowed.key)).value.error.status).toBe(403);
  });

  test('each call is noted: tool, key, merchant and success, nothing else', async () => {
    const other = await app.newMerchant();
    await call('get_merchant', {}, other.test.key);
    await call('get_order', { order_id: 'x' }, other.test.key);
    const read = () =>
      app.rows('select tool, success, credential_id, livemode from tool_calls where merchant_id = $1 order by id', [
        other.id,
      ]);
    await expect.poll(async () => (await read()).length).toBe(2);
    expect(await read()).toEqual([
      { tool: 'get_merchant', success: true, credential_id: other.test.id, livemode: false },
      { tool: 'get_order', success: false, credential_id: other.test.id, livemode: false },
    ]);
  });
});
