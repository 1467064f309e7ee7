import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json, operation } from '../../src/operation/operation.ts';
import { buildServer } from '../../src/surfaces/http/server.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { books, expectError, expectInvalid } from '../harness/expect.ts';
import { createOrder, orderBody } from '../harness/orders.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const orders = '/api/v1/m/orders';
const json_ = { 'content-type': 'application/json' };

describe('addresses where nothing is', () => {
  test.each([
    '/nope',
    '/api',
    '/api/v1',
    '/api/v1/m',
    '/api/v1/m/nope',
    '/api/v2/m/orders',
    '/API/v1/m/orders',
    '/api/v1//m/orders',
    '/api/v1/m/orders/%zz',
    '/api/v1/m/orders/%',
    '/%c0%af',
    `/api/v1/m/orders/${'x'.repeat(9000)}`,
  ])('%s', async (url) => {
    const { test: client } = await app.newMerchant();
    for (const one of [client, app.stranger]) {
      const reply = await one.get(url);
      expectError(reply, 'not_found');
    }
  });

  test('whatever the method and the body', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE', 'PUT'] as const) {
      expectError(await app.stranger.raw(method, '/api/v1/m/nope', '{"a":1}', json_), 'not_found');
      expectError(await app.stranger.raw(method, '/api/v1/m/nope', '{broken', json_), 'not_found');
      expectError(
        await app.stranger.raw(method, '/api/v1/m/nope', 'text', { 'content-type': 'text/plain' }),
        'not_found',
      );
    }
  });
});

describe('methods that an address does not have', () => {
  test.each([
    ['PUT', orders, 'GET, HEAD, POST'],
    ['DELETE', orders, 'GET, HEAD, POST'],
    ['PATCH', orders, 'GET, HEAD, POST'],
    ['POST', `${orders}/01900000-0000-7000-8000-000000000000`, 'DELETE, GET, HEAD, PATCH'],
    ['PUT', `${orders}/not-a-uuid`, 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/api/v1/m/invoices/01900000-0000-7000-8000-000000000000/qr', 'GET, HEAD'],
  ] as const)('%s %s', async (method, url, allowed) => {
    const { test: client } = await app.newMerchant();
    for (const payload of ['', '{"a":1}', '{broken']) {
      const reply = await client.raw(method, url, payload, payload ? json_ : {});
      expectError(reply, 'method_not_allowed');
      expect(reply.headers.allow!.split(', ').toSorted().join(', ')).toBe(allowed);
    }
  });

  test.each(['PROPFIND', 'TRACE', 'MKCOL'])('%s, which works nowhere', async (method) => {
    for (const url of [orders, '/checkout/cs_x', '/nowhere']) {
      const reply = await app.app.inject({ method: method as 'GET', url });
      expect([reply.statusCode, reply.json().error.code]).toEqual([405, 'method_not_allowed']);
      expect(reply.headers.allow).toContain('GET');
    }
  });

  test('HEAD where there is only POST', async () => {
    const reply = await app.app.inject({ method: 'HEAD', url: '/api/v1/m/invoices/generate' });
    expect(reply.statusCode).toBe(405);
    expect(reply.headers.allow).toBe('POST');
    expect(reply.headers['x-request-id']).toMatch(/^req_/);
  });

  test('OPTIONS is one of them where no web page may call', async () => {
    const reply = await app.app.inject({ method: 'OPTIONS', url: orders, headers: { origin: 'https://shop.test' } });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    const preflight = await app.app.inject({ method: 'OPTIONS', url: '/api/v1/rates' });
    expect(preflight.statusCode).toBe(204);
  });

  test('a web page can read it where it may call (Fetch standard, CORS)', async () => {
    const headers = { origin: 'https://shop.test', authorization: 'Bearer pk_test_any' };
    const reply = await app.app.inject({ method: 'GET', url: '/api/v1/pub/checkout_sessions', headers });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST']);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    const elsewhere = await app.app.inject({ method: 'PUT', url: orders, headers });
    expect([elsewhere.statusCode, elsewhere.headers['access-control-allow-origin']]).toEqual([405, undefined]);
  });

  test('HEAD answers like GET, without the body', async () => {
    const { test: client } = await app.newMerchant();
    const headers = { authorization: `Bearer ${client.key}` };
    const reply = await app.app.inject({ method: 'HEAD', url: orders, headers });
    expect(reply.statusCode).toBe(200);
    expect(reply.payload).toBe('');
    expect((await app.app.inject({ method: 'HEAD', url: orders })).statusCode).toBe(401);
  });
});

describe('bodies', () => {
  test('that are no JSON are 415, an empty one is {} whatever it is called (case C081)', async () => {
    const { test: client } = await app.newMerchant();
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/json',
    ]) {
      expectError(await client.raw('POST', orders, 'a=1', { 'content-type': type }), 'unsupported_media_type');
      expectInvalid(await client.raw('POST', orders, '', { 'content-type': type }), 'order is required');
    }
    for (const type of ['json', '', 'application/', 'application json']) {
      expectInvalid(await client.raw('POST', orders, '', { 'content-type': type }), 'order is required');
    }
    expectError(await client.raw('POST', orders, '{}', { 'content-type': 'json' }), 'unsupported_media_type');
    expectError(await client.raw('POST', orders, JSON.stringify(orderBody())), 'unsupported_media_type');
    expectInvalid(await client.raw('POST', orders, '', json_), 'order is required');
    expectInvalid(await client.raw('POST', orders, ' \r\n ', json_), 'order is required');
  });

  test('that are compressed are told to come as they are', async () => {
    const { test: client } = await app.newMerchant();
    const bytes = gzipSync(JSON.stringify(orderBody()));
    const send = (payload: string | Buffer, encoding: string) =>
      app.app.inject({
        method: 'POST',
        url: orders,
        headers: { ...json_, authorization: `Bearer ${client.key}`, 'content-encoding': encoding },
        payload,
      });
    const refused = await send(bytes, 'gzip');
    expect(refused.json().error).toMatchObject({ code: 'unsupported_media_type', status: 415 });
    expect((await send(JSON.stringify(orderBody()), 'identity')).statusCode).toBe(201);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json ;charset=UTF-8',
    'Application/JSON',
    'application/vnd.api+json',
  ])('of the type %s are read', async (type) => {
    const { test: client } = await app.newMerchant();
    const reply = await client.raw('POST', orders, JSON.stringify(orderBody()), { 'content-type': type });
    expect(reply.status).toBe(201);
  });

  test.each([
    ['{', 'cut off'],
    ['{"order":{},}', 'a comma too many'],
    ["{'order':{}}", 'single quotes'],
    ['undefined', 'a word'],
    ['{"a":NaN}', 'NaN'],
    ['{"order":{}} {}', 'two values'],
    ['<xml/>', 'XML'],
  ])('%s: 400 (%s)', async (payload) => {
    const { test: client } = await app.newMerchant();
    for (const [method, url] of [
      ['POST', orders],
      ['PATCH', `${orders}/01900000-0000-7000-8000-000000000000`],
      ['DELETE', `${orders}/01900000-0000-7000-8000-000000000000`],
    ] as const) {
      expectError(await client.raw(method, url, payload, json_), 'bad_request', {
        message: 'The body is not valid JSON',
      });
    }
  });

  test('with bytes that are no UTF-8: 400', async () => {
    const { test: client } = await app.newMerchant();
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xf8, 0x88, 0x80, 0x80, 0x80]]) {
      const payload = Buffer.concat([Buffer.from('{"order":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expectError(await client.raw('POST', orders, payload, json_), 'bad_request');
    }
  });

  test('with a byte order mark are read', async () => {
    const { test: client } = await app.newMerchant();
    const payload = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(orderBody()))]);
    expect((await client.raw('POST', orders, payload, json_)).status).toBe(201);
  });

  test.each(['[]', '7', '"text"', 'true'])('%s at the top: 422', async (payload) => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.raw('POST', orders, payload, json_), 'the body must be an object');
  });

  test('null at the top is like none', async () => {
    const { test: client } = await app.newMerchant();
    expectInvalid(await client.raw('POST', orders, 'null', json_), 'order is required');
  });

  test('above 1 MiB are 413, just below are read (case C086)', async () => {
    const { test: client } = await app.newMerchant();
    const sized = (bytes: number) => {
      const body = JSON.stringify(orderBody({ undeclared: '' }));
      return body.replace('"undeclared":""', `"undeclared":"${'x'.repeat(bytes - body.length)}"`);
    };
    const before = await books(app);
    expectError(await client.raw('POST', orders, sized(1024 * 1024 + 1), json_), 'payload_too_large');
    expect(await books(app)).toEqual(before);
    expect((await client.raw('POST', orders, sized(1024 * 1024), json_)).status).toBe(201);
  });
});

describe('a key comes first', () => {
  test('before everything that is wrong with the body or the id', async () => {
    for (const [payload, headers] of [
      ['{broken', json_],
      ['text', { 'content-type': 'text/plain' }],
      ['x'.repeat(1024 * 1024 + 1), json_],
      ['{}', json_],
    ] as const) {
      expectError(await app.stranger.raw('POST', orders, payload, headers), 'missing_token');
    }
    expectError(await app.stranger.get(`${orders}/not-a-uuid`), 'missing_token');
    expectError(await app.stranger.get(`${orders}?q[nope_eq]=1`), 'missing_token');
    const { publishable } = await app.newMerchant();
    expectError(await publishable.raw('POST', orders, '{broken', json_), 'forbidden');
  });
});

describe('X-Request-Id', () => {
  test('is on every answer, made here and never the caller’s', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrder(client);
    const own = { 'x-request-id': 'mine', 'request-id': 'mine' };
    const replies = [
      await client.get(orders, own),
      await client.post(orders, orderBody(), own),
      await client.delete(`${orders}/${order.id}`, own),
      await client.get('/nope', own),
      await client.raw('PUT', orders, '', own),
      await client.raw('POST', orders, '{', { ...json_, ...own }),
      await app.stranger.get('/healthz', own),
      await app.stranger.get('/readyz', own),
      await app.stranger.get('/api/v1/openapi.json', own),
      await app.stranger.get('/%zz', own),
    ];
    const ids = replies.map((reply) => reply.headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-Za-z]{20}$/);
    expect(new Set(ids).size).toBe(replies.length);
  });
});

describe('what a cache may keep', () => {
  test('is no error', async () => {
    const { test: client } = await app.newMerchant();
    const id = '01900000-0000-7000-8000-000000000000';
    const replies = [
      await client.get('/nope'),
      await client.get(`${orders}/${id}`),
      await client.raw('PUT', orders, ''),
      await app.stranger.get(orders),
      await app.stranger.get('/api/v1/pub/channels?page=0'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 405, 401, 422]);
    for (const { headers } of replies) expect(headers['cache-control']).toBe('no-store');
  });
});

describe('what nobody expected', () => {
  const broken = (name: string, run: () => Promise<unknown>) =>
    operation({
      name,
      summary: 'Breaks',
      method: 'GET',
      path: `/api/v1/m/${name}`,
      access: { permission: 'orders:read' },
      answer: json(Type.Object({ count: Type.Integer() })),
      tool: false,
      run,
    });

  test('is a 500 that says nothing of itself', async () => {
    const { test: client } = await app.newMerchant();
    const operations = [
      broken('throws', async () => {
        throw new Error('password=hunter2 at /home/satline/src');
      }),
      broken('throws_text', async () => {
        throw 'password=hunter2';
      }),
      broken('answers_null', async () => ({ count: null })),
      broken('answers_nothing', async () => undefined),
      broken('asks_nonsense', async () => app.rows('select nonsense from nowhere')),
    ];
    const server = buildServer({ parts: app.parts, operations, trustProxy: false });
    const inside = new Client(server, client.key, client.id);
    for (const { path } of operations) {
      const reply = await inside.get(path);
      expectError(reply, 'internal_error', { message: 'Something went wrong on our side' });
    }
    await server.close();
  });
});

describe('what is no HTTP', () => {
  test('that drips in has a minute to arrive whole, and is told so', async () => {
    const server = buildServer({ parts: app.parts, operations: [], trustProxy: false });
    expect(server.server.requestTimeout).toBe(60_000);
    // Node looks every half minute, so its word is given here.
    const socket = new PassThrough();
    server.server.emit('clientError', Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"message":"The request took too long to arrive"');
    await server.close();
  });

  test('gets the envelope too, over a real socket', async () => {
    const server = buildServer({ parts: app.parts, operations: [], trustProxy: false });
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const talk = (text: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => socket.write(text));
        let answer = '';
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('end', () => resolve(answer)).on('error', reject);
      });
    const malformed = await talk('NONSENSE\r\n\r\n');
    expect(malformed).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const [head, body] = malformed.split('\r\n\r\n');
    const { error } = JSON.parse(body!);
    expect(error).toMatchObject({ code: 'bad_request', status: 400, message: expect.any(String) });
    expect(head).toContain(`X-Request-Id: ${error.request_id}`);
    const tooLarge = await talk(`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`);
    expect(tooLarge).toMatch(/^HTTP\/1\.1 413 /);
    const nowhere = await talk('GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(nowhere).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nx-request-id: req_/);
    expect(nowhere).toContain('{"error":{"code":"bad_request","message":"The request has no Host header"');
    const oldest = await talk('GET / HTTP/1.0\r\n\r\n');
    expect(oldest).toContain('{"error":{"code":"not_found"');
    const hopeful = await talk('GET / HTTP/1.1\r\nHost: x\r\nExpect: luck\r\nConnection: close\r\n\r\n');
    expect(hopeful).toContain('{"error":{"code":"not_found"');
    await server.close();
  });
});
