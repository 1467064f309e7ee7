import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Permission } from '../../../src/kernel/context.ts';
import { operations } from '../../../src/resources/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { borrowTestDatabase } from '../../harness/database.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { McpClient, rpc } from '../../harness/mcp.ts';
import { describeRefusals } from '../../harness/refusals.ts';

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

interface ListedTool {
  name: string;
  inputSchema: {
    properties: Record<string, { type: 'integer' | 'string' | 'boolean' | 'array' | 'object' }>;
    required?: string[];
  };
}

let app: TestApp;
let merchant: TestMerchant;
let mcp: McpClient;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  mcp = new McpClient(app.app, merchant.test.key);
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

describe('the tools', () => {
  test('are those of the interface', async () => {
    expect((await mcp.toolNames()).sort()).toEqual([...toolNames].sort());
  });

  test('are listed for who may use them', async () => {
    expect(await mcp.toolNames(merchant.publishable.key)).toEqual(['create_checkout_session']);
    const reader = await merchant.narrowed('orders:read', 'payments:read');
    expect((await mcp.toolNames(reader.key)).sort()).toEqual(permittedTools('orders:read', 'payments:read'));
    // What is listed can be called, and nothing else can.
    for (const name of await mcp.toolNames()) {
      const { value } = await mcp.call(name, {}, reader.key);
      const isRefused = value.error?.status === 403;
      expect(isRefused, name).toBe(!permittedTools('orders:read', 'payments:read').includes(name));
    }
  });

  test('have schemas that every model takes (case C092)', async () => {
    const { tools } = (await mcp.ask('tools/list')).result;
    expect(tools).toHaveLength(toolNames.length);
    for (const tool of tools) {
      expect(Object.keys(tool).sort()).toEqual(['annotations', 'description', 'inputSchema', 'name', 'title']);
      expect(tool.name).toMatch(/^[a-z_]{1,64}$/);
      expect(tool.inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) });
      for (const [name, schema] of Object.entries<{ description?: string }>(tool.inputSchema.properties)) {
        expect(schema.description, `${tool.name}: ${name}`).toMatch(/\w/);
      }
      lintSchema(tool.inputSchema, tool.name);
      // OpenAI takes 1024 characters; below 20 nothing is said of when to use it.
      expect(tool.description.length, tool.name).toBeGreaterThan(20);
      expect(tool.description.length, tool.name).toBeLessThanOrEqual(1024);
      expect(tool.annotations).toEqual({
        title: tool.title,
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      });
    }
  });

  test('say what a number stands for', async () => {
    const { tools } = (await mcp.ask('tools/list')).result;
    const { properties } = tools.find(({ name }: { name: string }) => name === 'list_orders').inputSchema;
    expect(properties.payments_payment_type.description).toContain('0 lightning, 1 cash');
  });

  test('say which of them change or end something that is there', async () => {
    const { tools } = (await mcp.ask('tools/list')).result;
    const destructive = tools
      .filter((tool: Listed) => tool.annotations.destructiveHint)
      .map(({ name }: Listed) => name);
    expect(destructive.sort()).toEqual([
      'cancel_order',
      'clear_product_old_key',
      'delete_product',
      'delete_product_type',
      'delete_webhook',
      'update_order',
      'update_product',
      'update_product_type',
      'update_webhook',
    ]);
    const reading = tools.filter((tool: Listed) => tool.annotations.readOnlyHint).map(({ name }: Listed) => name);
    expect(reading.filter((name: string) => !/^(get|list|check|verify)_/.test(name))).toEqual([]);
    expect(reading).not.toContain('rotate_product_key');
  });

  test('sell something from order to payment', async () => {
    const order = await mcp.call('create_order', { amount_cents: 1500, metadata: { table: '4' } });
    expect(order).toMatchObject({
      isError: false,
      value: { total_amount_cents: 1500, status: 'pending', invoice: { status: 'pending' } },
    });
    const { id, invoice } = order.value;
    expect((await mcp.call('get_invoice_qr', { invoice_id: invoice.id })).value).toMatchObject({
      content_type: 'image/svg+xml',
    });
    await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
    expect((await mcp.call('check_invoice_status', { invoice_id: invoice.id })).value).toMatchObject({ paid: true });
    expect((await mcp.call('get_order', { order_id: id, expand: ['invoice'] })).value).toMatchObject({
      status: 'paid',
    });
    const listed = await mcp.call('list_orders', {
      status: 'paid',
      created_after: '2027-01-01T00:00:00Z',
      per_page: 5,
    });
    expect(listed.value.data.map((one: { id: string }) => one.id)).toContain(id);
    const sales = await merchant.test.get('/api/v1/m/sales');
    expect(sales.body.data[0]).toMatchObject({ source: 'mcp' });
  });

  test('one second past its end an invoice reads expired to an agent as well (case C027)', async () => {
    const { id, invoice } = (await mcp.call('create_order', { amount_cents: 1500 })).value;
    app.clock.set(new Date(new Date(invoice.expires_at).getTime() + 1000));
    const expired = { status: 'expired', expired: true };
    expect((await mcp.call('check_invoice_status', { invoice_id: invoice.id })).value).toMatchObject(expired);
    expect((await mcp.call('get_invoice', { invoice_id: invoice.id })).value).toMatchObject(expired);
    const order = (await mcp.call('get_order', { order_id: id, expand: ['invoice'] })).value;
    expect(order).toMatchObject({ status: 'pending', invoice: expired });
  });

  test('metadata is replaced whole here as everywhere; null is not given (case C125)', async () => {
    const { id } = (await mcp.call('create_order', { amount_cents: 1500, metadata: { ref: 'A', note: 'x' } })).value;
    const changed = async (args: object) => (await mcp.call('update_order', { order_id: id, ...args })).value.metadata;
    expect(await changed({ metadata: { note: 'y' } })).toEqual({ note: 'y' });
    expect(await changed({ metadata: null, po_number: '7' })).toEqual({ note: 'y' });
    expect(await changed({ metadata: { note: null } })).toEqual({ note: null });
  });

  test('a repeated call with its key is one order, over either door', async () => {
    const args = {
      total_amount_cents: 700,
      generate_invoice: false,
      items: [{ name: 'Tea', price_cents: 700, qty: 1 }],
    };
    const first = await mcp.call('create_order', { ...args, idempotency_key: 'once' });
    expect((await mcp.call('create_order', { ...args, idempotency_key: 'once' })).value.id).toBe(first.value.id);
    const { generate_invoice, ...order } = args;
    const rest = await merchant.test.post(
      '/api/v1/m/orders',
      { order, generate_invoice },
      { 'idempotency-key': 'once' },
    );
    expect(rest.body.id).toBe(first.value.id);
  });

  test('what the API refuses is a result that says so', async () => {
    const missing = await mcp.call('get_order', { order_id: '01a21fc3-e398-70f8-86e3-55d06b6805c1' });
    expect(missing).toMatchObject({
      isError: true,
      value: { error: { code: 'not_found', message: 'Order not found' } },
    });
    const two = await mcp.call('create_order', { amount_cents: 1, total_amount_cents: 2 });
    expect(two).toMatchObject({ isError: true, value: { error: { status: 422 } } });
    const unknown = await mcp.call('get_merchant', { color: 'red' });
    expect(unknown.value.error.details).toEqual(['color is not an argument of get_merchant; it takes none']);
    const odd = await mcp.ask('tools/call', JSON.parse('{"name":"get_merchant","arguments":{"__proto__":{"a":1}}}'));
    expect(odd.result.content[0].text).toContain('__proto__ is not an argument');
    const text = await mcp.call('create_product', { name: 'Tea', price_cents: '500' });
    expect(text.value.error.details).toEqual(['price_cents must be a whole number']);
  });

  test('null is not given, and arguments may be absent (case C096)', async () => {
    expect((await mcp.call('get_merchant')).value).toMatchObject({ object: 'merchant', id: merchant.id });
    expect((await mcp.call('list_products', { status: null, page: 1 })).isError).toBe(false);
  });

  test('whatever an argument holds, the answer is a result and no fault of ours', { timeout: 60_000 }, async () => {
    const other = new McpClient(app.app, (await app.newMerchant()).test.key);
    const { tools } = (await other.ask('tools/list')).result;
    const needed = {
      integer: 5,
      string: '01900000-0000-7000-8000-000000000000',
      boolean: false,
      array: [],
      object: {},
    };
    const calls = tools.flatMap(({ name, inputSchema: { properties, required = [] } }: ListedTool) => {
      const least = Object.fromEntries(required.map((member) => [member, needed[properties[member]!.type]]));
      return Object.keys(properties).flatMap((member) =>
        [1e300, '\ud800', 'x'.repeat(6000), [null], JSON.parse('{"__proto__":{"a":[1]}}')].map((odd) => ({
          name,
          arguments: { ...least, [member]: odd },
        })),
      );
    });
    expect(calls.length).toBeGreaterThan(900);
    for (let from = 0; from < calls.length; from += 50) {
      const batch = calls.slice(from, from + 50);
      const body = JSON.stringify(batch.map((call: object, id: number) => rpc('tools/call', call, id)));
      for (const { id, result } of (await other.send({ body })).body) {
        const { error } = JSON.parse(result.content[0].text);
        expect(error?.status ?? 200, JSON.stringify(batch[id])).toBeLessThan(500);
      }
    }
  });

  test('make a payment link', async () => {
    const link = await mcp.call('create_payment_link', { name: 'Sticker', price_cents: 300 });
    expect(link.value.payment_link_url).toMatch(/\/pay\/prod_[0-9a-f]{16}$/);
    const endless = await mcp.call('create_payment_link', {
      name: 'Sticker',
      price_cents: 300,
      access_duration_seconds: 1e300,
    });
    expect(endless.value.error.details).toEqual([expect.stringMatching(/^access_duration_seconds must be at most/)]);
  });

  test('a publishable key may only make checkout sessions', async () => {
    const { key } = merchant.publishable;
    const session = await mcp.call('create_checkout_session', { amount_cents: 900 }, key);
    expect(session).toMatchObject({ isError: false, value: { checkout_url: expect.any(String) } });
    for (const name of ['get_catalog', 'list_orders', 'get_merchant']) {
      expect(await mcp.call(name, {}, key)).toMatchObject({ isError: true, value: { error: { status: 403 } } });
    }
  });

  test('a narrowed key is narrowed here as well', async () => {
    const narrowed = await merchant.narrowed('orders:read');
    expect((await mcp.call('list_orders', {}, narrowed.key)).isError).toBe(false);
    expect((await mcp.call('create_product', { name: 'Tea', price_cents: 1 }, narrowed.key)).value.error.status).toBe(
      403,
    );
  });

  test('what is wrong with an argument is told in the name it has here', async () => {
    const faults = async (name: string, args: Record<string, unknown>) =>
      (await mcp.call(name, args)).value.error.details;
    expect(await faults('list_orders', { page: '2', status: 'open', amount_min: '5', created_after: 7 })).toEqual([
      'status must be one of pending, paid, cancelled, refunded',
      'amount_min must be a whole number',
      'created_after must be text',
      'page must be a whole number',
    ]);
    expect(await faults('list_orders', { created_after: 'yesterday', currency: 'gold' })).toEqual([
      'created_after must be an ISO 8601 time with Z or an offset, or a date',
      'currency must be an ISO 4217 currency code',
    ]);
    expect(await faults('list_webhooks', { active: 'yes' })).toEqual(['active must be true or false']);
    expect(await faults('list_payments', { order_id: 'x' })).toEqual(['order_id must be a UUID']);
    expect(await faults('get_order', {})).toEqual(['order_id is required']);
    expect(await faults('get_order', { order_id: 7, expand: 'all' })).toEqual(['order_id must be text']);
    expect(await faults('get_order', { order_id: 'x', expand: ['all'] })).toBeUndefined();
    expect(await faults('cancel_order', { order_id: 'x', idempotency_key: '' })).toEqual([
      'idempotency_key must not be empty',
    ]);
    expect(await faults('create_product', { name: 'Tea', price_cents: 1, idempotency_key: 'ü' })).toEqual([
      'idempotency_key must have 1 to 255 printable ASCII characters',
    ]);
  });

  test('an order needs its amount, and is told so once', async () => {
    const faults = async (args: Record<string, unknown>) => (await mcp.call('create_order', args)).value.error.details;
    const needed = ['amount_cents is required, or items that each name a product_id'];
    expect(await faults({})).toEqual(needed);
    expect(await faults({ amount_cents: null, currency: 'usd' })).toEqual(needed);
    expect(await faults({ amount_cents: '500' })).toEqual(['amount_cents must be a whole number']);
    expect(await faults({ total_amount_cents: -1 })).toEqual(['total_amount_cents must be at least 0']);
    expect(await faults({ amount_cents: 1, payment_method: 'card' })).toEqual([
      'payment_method must be one of lightning',
    ]);
  });

  test('webhooks are for all events and payment requests for Lightning unless the agent says otherwise', async () => {
    const webhook = await mcp.call('create_webhook', { url: 'http://127.0.0.1:9/hook' });
    expect(webhook.value).toMatchObject({ events: ['*'], secret_key: expect.stringMatching(/^whsec_/) });
    const request = await mcp.call('create_payment_request', { amount_cents: 200, description: 'Tea' });
    expect(request).toMatchObject({ isError: false, value: { payment_request: expect.stringMatching(/^lnbcrt/) } });
    const listed = await mcp.call('list_webhooks', { url: '127.0.0.1:9', active: true });
    expect(listed.value.data).toHaveLength(1);
  });

  test('what has no body answers JSON all the same', async () => {
    const { value } = await mcp.call('create_product_type', { name: 'Drinks' });
    expect(await mcp.call('delete_product_type', { product_type_id: value.id })).toEqual({
      isError: false,
      value: { ok: true },
    });
  });

  test('each call is noted, of unknown tools too: tool, key, merchant and success, nothing else', async () => {
    const other = await app.newMerchant();
    const { key } = other.test;
    await mcp.call('get_merchant', {}, key);
    await mcp.call('get_order', { order_id: 'x' }, key);
    await mcp.ask('tools/call', { name: `nothing${'\u0000'}${'x'.repeat(100)}` }, key);
    await mcp.ask('tools/call', { name: 'get_merchant', arguments: ['secret'] }, key);
    await mcp.ask('tools/list', undefined, key);
    const listed = (await other.test.get('/api/v1/m/tool_calls?q[success_eq]=true')).body;
    expect(listed.data).toEqual([
      {
        object: 'tool_call',
        livemode: false,
        id: expect.any(String),
        tool: 'get_merchant',
        success: true,
        credential_id: other.test.id,
        created_at: app.clock.now().toISOString(),
      },
    ]);
    expect((await other.live.get('/api/v1/m/tool_calls')).body.meta.total_count).toBe(0);
    const rows = await app.rows<{ tool: string }>('select * from tool_calls where merchant_id = $1 order by id', [
      other.id,
    ]);
    const noted = { merchant_id: other.id, livemode: false, credential_id: other.test.id };
    const row = { ...noted, id: expect.any(String), created_at: expect.any(Date) };
    expect(rows).toEqual([
      { ...row, tool: 'get_merchant', success: true },
      { ...row, tool: 'get_order', success: false },
      { ...row, tool: `nothing\ufffd${'x'.repeat(56)}`, success: false },
      { ...row, tool: 'get_merchant', success: false },
    ]);
  });

  test('what cannot be noted now is noted later, once', async () => {
    const other = await app.newMerchant();
    await mcp.call('get_merchant', {}, other.test.key);
    const away = vi.spyOn(app.parts.db, 'run').mockRejectedValueOnce(new Error('the database is away'));
    await expect(app.parts.toolCalls.flush()).rejects.toThrow('the database is away');
    away.mockRestore();
    await mcp.call('get_merchant', {}, other.test.key);
    await Promise.all([app.parts.toolCalls.flush(), app.parts.toolCalls.flush()]);
    expect(await app.rows('select tool from tool_calls where merchant_id = $1', [other.id])).toHaveLength(2);
  });
  test('what waits to be noted is written when the service stops', async () => {
    const database = await borrowTestDatabase();
    const first = await openTestApp({ database: { ...database, drop: async () => {} }, watch: false });
    const { id, test: client } = await first.newMerchant();
    await new McpClient(first.app, client.key).call('get_merchant');
    await first.close();
    const second = await openTestApp({ database, clock: first.clock, watch: false });
    const noted = await second.rows('select tool from tool_calls where merchant_id = $1', [id]);
    await second.close();
    expect(noted).toEqual([{ tool: 'get_merchant' }]);
  });

  describe('the list of calls', () => {
    describeRefusals(() => app, { method: 'GET', path: () => '/api/v1/m/tool_calls', permission: 'merchant:read' });
  });
});

function permittedTools(...permissions: Permission[]): string[] {
  return operations
    .filter(({ tool, access }) => tool && (!access.permission || permissions.includes(access.permission)))
    .map(({ name }) => name)
    .sort();
}

interface Listed {
  name: string;
  annotations: Record<string, boolean>;
}

/** Nothing that one of the model APIs refuses: with it, that API refuses the whole list. */
function lintSchema(schema: Record<string, unknown>, where: string): void {
  const known = [
    'type',
    'description',
    'enum',
    'format',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'items',
    'properties',
    'required',
  ];
  expect(known, where).toEqual(expect.arrayContaining(Object.keys(schema)));
  expect(['string', 'integer', 'number', 'boolean', 'array', 'object'], where).toContain(schema.type);
  if (schema.format !== undefined) expect(schema.format, where).toBe('date-time');
  if (schema.type === 'array') expect(schema.items, where).toBeDefined();
  if (schema.enum) {
    // Gemini knows words of text only.
    expect(schema.type, where).toBe('string');
    for (const word of schema.enum as unknown[]) expect(word, where).toMatch(/./);
  }
  const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
  if (schema.required) expect((schema.required as string[]).length, where).toBeGreaterThan(0);
  for (const name of (schema.required as string[]) ?? []) expect(properties, where).toHaveProperty(name);
  for (const [name, member] of Object.entries(properties)) {
    expect(name, where).toMatch(/^[a-zA-Z0-9_]{1,64}$/);
    lintSchema(member, `${where}.${name}`);
  }
  if (schema.items) lintSchema(schema.items as Record<string, unknown>, `${where}[]`);
}
