import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolNames } from '../../../src/model/tool-names.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { McpClient, mcpPath, rpc } from '../../harness/mcp.ts';

let app: TestApp;
let merchant: TestMerchant;
let mcp: McpClient;

beforeAll(async () => {
  app = await openTestApp({ watch: false, env: { MCP_ALLOWED_ORIGINS: 'https://agents.example' } });
  merchant = await app.newMerchant();
  mcp = new McpClient(app.app, merchant.test.key);
});
afterAll(() => app.close());

describe('the protocol', () => {
  test('shakes hands in the version that is asked for, or its own', async () => {
    for (const [asked, answered] of [
      ['2025-06-18', '2025-06-18'],
      ['2025-03-26', '2025-03-26'],
      ['2024-11-05', '2024-11-05'],
      ['2025-11-25', '2025-06-18'],
      ['2026-07-28', '2025-06-18'],
      ['2024-10-07', '2025-06-18'],
      ['nonsense', '2025-06-18'],
      [undefined, '2025-06-18'],
    ]) {
      const { result } = await mcp.ask('initialize', { protocolVersion: asked, capabilities: {}, clientInfo: {} });
      expect(result).toMatchObject({
        protocolVersion: answered,
        serverInfo: { name: 'satline', version: '1.2.1' },
      });
      expect(result.capabilities).toEqual({ tools: {} });
    }
    expect((await mcp.ask('ping')).result).toEqual({});
  });

  test('tells a model only of tools that its key may call', async () => {
    const narrowed = await merchant.narrowed('catalog:write', 'checkout:write');
    for (const { key } of [merchant.test, narrowed, merchant.publishable]) {
      const { instructions } = (await mcp.ask('initialize', {}, key)).result;
      const usable = await mcp.toolNames(key);
      const named = toolNames.filter((name) => instructions.includes(name));
      expect(named.filter((name) => !usable.includes(name))).toEqual([]);
      expect(named.length).toBeGreaterThan(0);
    }
  });

  test('other methods are 405 with JSON-RPC, before any key is looked at (case C095)', async () => {
    for (const headers of [{}, { authorization: `Bearer ${merchant.test.key}` }]) {
      for (const method of ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'] as const) {
        for (const url of [mcpPath, `${mcpPath}/`]) {
          const answer = await app.app.inject({ method, url, headers });
          expect([answer.statusCode, answer.headers.allow], method).toEqual([405, 'POST']);
          // A client in a web page asks for a stream first, and has to read that there is none.
          expect(answer.headers['access-control-allow-origin']).toBe('*');
          if (method !== 'HEAD') expect(answer.json()).toMatchObject({ id: null, error: { code: -32000 } });
        }
      }
    }
  });

  test('a missing or invalid key is 401 whatever the body holds, and says where connections are made', async () => {
    const challenge =
      'Bearer resource_metadata="http://127.0.0.1:3000/.well-known/oauth-protected-resource/api/v1/mcp", ' +
      'scope="catalog payment_links"';
    for (const [authorization, expected] of [
      [undefined, challenge],
      [merchant.test.key!, challenge],
      ['Bearer sk_test_nonsense', `${challenge}, error="invalid_token"`],
    ] as const) {
      const headers = authorization === undefined ? {} : { authorization };
      const answer = await mcp.send({ key: '', headers, body: '{broken' });
      expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([401, -32001, null]);
      expect(answer.headers['www-authenticate']).toBe(expected);
    }
  });

  test('envelopes (case C090)', async () => {
    for (const id of ['abc', 0, -1, '']) {
      expect((await mcp.send({ body: JSON.stringify(rpc('ping', undefined, id)) })).body).toEqual({
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
      const answer = await mcp.send({ body: JSON.stringify(broken) });
      expect([answer.status, answer.body.error.code], JSON.stringify(broken)).toEqual([400, -32600]);
    }
    const brokenUtf8 = Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping'), 0xc3, 0x28, 0x22, 0x7d]);
    for (const body of ['', '{', 'null x', brokenUtf8]) {
      const answer = await mcp.send({ body });
      expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([400, -32700, null]);
    }
    expect(await mcp.ask('server/discover')).toMatchObject({ error: { code: -32601 } });
    expect(await mcp.ask('tools/call', { name: 'nothing' })).toMatchObject({ error: { code: -32602 } });
    const nameless = { code: -32602, message: 'name must be a tool’s name' };
    for (const params of [undefined, {}, { name: 7 }]) {
      expect(await mcp.ask('tools/call', params)).toMatchObject({ error: nameless });
    }
    expect(await mcp.ask('tools/call', { name: 'get_merchant', arguments: [] })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test('notifications are taken in silence (case C088)', async () => {
    for (const method of ['notifications/initialized', 'notifications/cancelled', 'notifications/unknown']) {
      const answer = await mcp.send({ body: JSON.stringify({ jsonrpc: '2.0', method }) });
      expect([answer.status, answer.body]).toEqual([202, undefined]);
    }
  });

  test('no Accept is refused, and nothing is streamed (case C087)', async () => {
    for (const accept of [
      undefined,
      'application/json',
      'text/event-stream',
      '*/*',
      'application/json;q=0.9, text/event-stream',
    ]) {
      const answer = await mcp.send({ headers: accept ? { accept } : {}, body: JSON.stringify(rpc('ping')) });
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      expect(answer.headers).not.toHaveProperty('mcp-session-id');
    }
    for (const type of ['text/plain', 'application/octet-stream', '']) {
      const headers: Record<string, string> = type ? { 'content-type': type } : {};
      expect((await mcp.send({ headers, body: JSON.stringify(rpc('ping')) })).status).toBe(200);
    }
    const unreadable = await mcp.send({ headers: { 'content-type': 'nonsense' }, body: JSON.stringify(rpc('ping')) });
    expect([unreadable.status, unreadable.body.error]).toEqual([
      415,
      { code: -32000, message: 'Send the body as JSON with "Content-Type: application/json"' },
    ]);
  });

  test('a version that never was is refused after initialize, a newer one is not (case C091)', async () => {
    const status = async (version: string, body: unknown) => {
      const headers = { 'mcp-protocol-version': version, 'mcp-session-id': 'old' };
      return (await mcp.send({ headers, body: JSON.stringify(body) })).status;
    };
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', '2027-03-01']) {
      expect(await status(version, rpc('tools/list')), version).toBe(200);
    }
    for (const version of ['1999-01-01', '2025-06-19', '2026-07-27', 'latest', '2025-06-18, 2025-03-26']) {
      expect(await status(version, rpc('tools/list')), version).toBe(400);
      expect(await status(version, { jsonrpc: '2.0', method: 'notifications/initialized' }), version).toBe(400);
      expect(await status(version, rpc('initialize', {})), version).toBe(200);
    }
    const refusedId = async (body: unknown) => {
      const headers = { 'mcp-protocol-version': 'latest' };
      return (await mcp.send({ headers, body: JSON.stringify(body) })).body.id;
    };
    expect(await refusedId(rpc('ping', undefined, 'a'))).toBe('a');
    // The id of an answer is our request's, not one of theirs.
    expect(await refusedId({ jsonrpc: '2.0', id: 4, result: {} })).toBeNull();
  });

  test('only pages of known origins may use a secret key; DNS rebinding gives itself away', async () => {
    const status = async (origin: string, key?: string) =>
      (await mcp.send({ key, headers: { origin }, body: JSON.stringify(rpc('ping')) })).status;
    for (const origin of [
      'http://127.0.0.1:3000',
      'http://localhost:6274',
      'https://agents.example',
      'https://AGENTS.example',
    ]) {
      expect(await status(origin), origin).toBe(200);
    }
    for (const origin of [
      'https://evil.example',
      'http://agents.example',
      'http://127.0.0.1.evil.example',
      'null',
      '',
    ]) {
      expect(await status(origin), origin).toBe(403);
      expect(await status(origin, 'sk_test_nonsense'), origin).toBe(403);
      // What such a key may do, it may do on any page.
      expect(await status(origin, merchant.publishable.key), origin).toBe(200);
    }
    const refused = await mcp.send({ headers: { origin: 'https://evil.example' }, body: JSON.stringify(rpc('ping')) });
    expect(refused.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32000 } });
  });

  test('a page may ask first, and read where to connect', async () => {
    const preflight = await app.app.inject({
      method: 'OPTIONS',
      url: mcpPath,
      headers: { origin: 'https://a.example' },
    });
    expect([preflight.statusCode, preflight.headers['access-control-allow-headers']]).toEqual([
      204,
      'authorization, content-type, mcp-protocol-version, mcp-session-id',
    ]);
    const refused = await mcp.send({ key: '', headers: { origin: 'http://localhost:1' }, body: '{}' });
    expect(refused.headers['access-control-expose-headers']).toContain('www-authenticate');
    expect(refused.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('a batch is answered in its order, without what was only a notification', async () => {
    const batch = [
      rpc('ping', undefined, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      5,
      rpc('nothing', undefined, 2),
    ];
    const { status, body } = await mcp.send({ body: JSON.stringify(batch) });
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
    const [first, ...more] = (await mcp.send({ body: JSON.stringify([rpc('ping')]) })).body;
    expect([first.result, more]).toEqual([{}, []]);
    const twice = (await mcp.send({ body: JSON.stringify([rpc('initialize', {}), rpc('ping')]) })).body;
    expect(twice.map(({ id }: { id: unknown }) => id)).toEqual([1, 1]);
    const silent = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    expect((await mcp.send({ body: JSON.stringify([silent, { jsonrpc: '2.0', id: 4, result: {} }]) })).status).toBe(
      202,
    );
    expect((await mcp.send({ body: JSON.stringify(Array(51).fill(rpc('ping'))) })).status).toBe(400);
  });

  test('a body over the limit is told of in JSON-RPC', async () => {
    const answer = await mcp.send({ body: JSON.stringify(rpc('ping', { text: 'x'.repeat(1024 * 1024) })) });
    expect([answer.status, answer.body.id, answer.body.error.code]).toEqual([413, null, -32600]);
  });
});

describe('the request limit', () => {
  test('counts each request once, a batch as many as it holds, and notifications not at all', async () => {
    const { id, test: client } = await app.newMerchant();
    const key = client.key!;
    const left = async (body: unknown) => {
      const answer = await mcp.send({ key, body: JSON.stringify(body) });
      return Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))![1]);
    };
    const silent = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const start = await left(rpc('ping'));
    expect(await left(rpc('tools/call', { name: 'get_merchant' }))).toBe(start - 1);
    expect(await left([rpc('ping'), silent, rpc('tools/call', { name: 'get_merchant' }), 5])).toBe(start - 4);
    expect(await left(silent)).toBe(start - 4);
    // What cannot be read counts as one call.
    expect(await left(Array(51).fill(rpc('ping')))).toBe(start - 5);
    expect(await left([])).toBe(start - 6);
    await app.rows(`update api_keys set rpm_limit = 10 where merchant_id = $1`, [id]);
    app.parts.authenticator.forget();
    const full = await mcp.send({ key, body: JSON.stringify(Array(5).fill(rpc('ping'))) });
    expect([full.status, full.body.error.code, full.body.id]).toEqual([429, -32000, null]);
    expect(Number(full.headers['retry-after'])).toBeGreaterThan(0);
    // Refused whole: the rest is still there for a smaller one.
    expect((await mcp.send({ key, body: JSON.stringify(Array(3).fill(rpc('ping'))) })).status).toBe(200);
    // A single request is refused under its id.
    while ((await left(rpc('ping'))) > 0);
    const single = await mcp.send({ key, body: JSON.stringify(rpc('ping', undefined, 'a')) });
    expect([single.status, single.body.error.code, single.body.id]).toEqual([429, -32000, 'a']);
    // No minute would be long enough, so there is nothing to wait for.
    const never = await mcp.send({ key, body: JSON.stringify(Array(11).fill(rpc('ping'))) });
    expect([never.status, never.headers['retry-after']]).toEqual([429, undefined]);
    expect(never.body.error.message).toBe('11 requests at once never fit into 10 a minute; send fewer');
  });

  test('is for what the usage of the key counts: every request once, also those that call no tool', async () => {
    const shop = await app.newMerchant();
    const { id, key } = (await shop.test.post('/api/v1/m/api_tokens', { api_token: { name: 'Agent' } })).body;
    const usage = async () => (await shop.test.get(`/api/v1/m/api_tokens/${id}/usage`)).body;
    const send = (body: unknown) => mcp.send({ key, body: JSON.stringify(body) });
    await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await usage()).toMatchObject({ monthly_request_count: 0, last_used_at: null });
    await send(rpc('initialize', {}));
    await send(rpc('tools/list'));
    await send(rpc('tools/call', { name: 'no_such_tool' }));
    await send([
      rpc('tools/call', { name: 'get_merchant' }),
      rpc('tools/call', { name: 'list_subscription_plans' }),
      rpc('tools/call', { name: 'get_order', arguments: { order: 1 } }),
    ]);
    expect(await usage()).toMatchObject({ monthly_request_count: 6, last_used_at: app.clock.now().toISOString() });
  });

  test('counts who guesses keys as a stranger', async () => {
    for (const key of ['', 'sk_test_nonsense']) {
      expect((await mcp.send({ key, body: '{}' })).headers.ratelimit).toMatch(/^"minute";r=\d+/);
    }
  });
});
