import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createOutbound, type Outbound, type OutboundOptions } from '../../src/kernel/outbound.ts';
import { OutboundError } from '../../src/kernel/outbound-error.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let base: string;
let answer: Answer;
let seen: IncomingMessage[];
let sockets: Set<unknown>;
const opened: Outbound[] = [];

beforeEach(async () => {
  seen = [];
  sockets = new Set();
  answer = (_, response) => response.end('hello');
  server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbound) => outbound.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function open(options: Partial<OutboundOptions> = {}): Outbound {
  const outbound = createOutbound({ allowPrivateNetworks: true, ...options });
  opened.push(outbound);
  return outbound;
}

/** The test server under a name that only the look-up given to the client knows. */
function named(name: string): string {
  return base.replace('127.0.0.1', name);
}

async function failure(promise: Promise<unknown>): Promise<OutboundError> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(OutboundError);
  return error as OutboundError;
}

describe('an answer', () => {
  test('comes back with status, headers, body and address', async () => {
    answer = (_, response) => response.writeHead(201, { 'x-test': 'yes' }).end('körper');
    const response = await open().request({ url: `${base}/a?b=c%3F`, timeoutMillis: 2000 });
    expect(response).toMatchObject({ status: 201, address: '127.0.0.1' });
    expect(response.headers['x-test']).toBe('yes');
    expect(response.body.toString()).toBe('körper');
    expect(seen[0]!.url).toBe('/a?b=c%3F');
  });

  test('carries method, headers and body there', async () => {
    answer = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => response.end(Buffer.concat(chunks)));
    };
    const headers = { 'content-type': 'application/json', 'x-a': 'b' };
    const response = await open().request({ url: base, method: 'POST', headers, body: '{"ü":1}', timeoutMillis: 2000 });
    expect(response.body.toString()).toBe('{"ü":1}');
    expect(seen[0]!.headers).toMatchObject({ 'x-a': 'b', 'user-agent': 'Satline' });
  });

  test('may have any status but a redirect', async () => {
    for (const status of [204, 304, 402, 404, 500, 503]) {
      answer = (_, response) => response.writeHead(status).end();
      expect((await open().request({ url: base, timeoutMillis: 2000 })).status).toBe(status);
    }
  });

  test('reuses connections', async () => {
    const outbound = open();
    for (let i = 0; i < 5; i++) await outbound.request({ url: base, timeoutMillis: 2000 });
    // Two at most: a socket counts as free only a moment after its answer was read.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test('names the address for every one of many parallel requests', async () => {
    const outbound = open();
    const all = Array.from({ length: 100 }, () => outbound.request({ url: base, timeoutMillis: 5000 }));
    for (const { address } of await Promise.all(all)) expect(address).toBe('127.0.0.1');
    expect(sockets.size).toBeLessThanOrEqual(64);
  });

  test('is asked for again when a kept connection was closed under a GET, but not under a POST', async () => {
    const outbound = open();
    let broken = 0;
    answer = (request, response) => {
      if (broken-- > 0) request.socket.destroy();
      else response.end('ok');
    };
    broken = 1;
    expect((await outbound.request({ url: base, timeoutMillis: 2000 })).body.toString()).toBe('ok');
    expect(seen.length).toBe(2);
    broken = 1;
    expect((await failure(outbound.request({ url: base, method: 'POST', timeoutMillis: 2000 }))).kind).toBe(
      'unreachable',
    );
    expect(seen.length).toBe(3);
  });
});

describe('limits', () => {
  test('does not follow redirects and tells the status (case C054)', async () => {
    answer = (request, response) => {
      if (request.url === '/') response.writeHead(307, { location: `${base}/secret` }).end('secret');
      else response.end('secret');
    };
    const error = await failure(open().request({ url: `${base}/`, timeoutMillis: 2000 }));
    expect(error).toMatchObject({ kind: 'redirect', status: 307 });
    expect(error.message).not.toContain('secret');
    expect(seen.length).toBe(1);
  });

  test('gives up when the answer does not start in time', async () => {
    answer = () => {};
    const startedAt = Date.now();
    expect((await failure(open().request({ url: base, timeoutMillis: 100 }))).kind).toBe('timeout');
    expect(Date.now() - startedAt).toBeLessThan(1000);
  });

  test('gives up when the answer trickles', async () => {
    answer = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 10);
      response.on('close', () => clearInterval(timer));
    };
    expect(await failure(open().request({ url: base, timeoutMillis: 150 }))).toMatchObject({
      kind: 'timeout',
      status: 200,
    });
  });

  test('gives up when DNS does not answer', async () => {
    const outbound = open({ lookup: () => new Promise(() => {}) });
    expect((await failure(outbound.request({ url: named('slow.test'), timeoutMillis: 100 }))).kind).toBe('timeout');
  });

  test('stops reading a body that is too large', async () => {
    let sent = 0;
    answer = (_, response) => {
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        while (sent < 50 * 1024 * 1024 && !response.destroyed) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    expect((await failure(open().request({ url: base, timeoutMillis: 5000 }))).kind).toBe('too_large');
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });

  test('refuses an announced large body without reading it', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('x');
    };
    const error = await failure(open().request({ url: base, timeoutMillis: 2000, maxBytes: 999 }));
    expect(error.kind).toBe('too_large');
  });

  test('accepts a body of exactly the limit, and cuts a larger one on request', async () => {
    answer = (_, response) => response.end(Buffer.alloc(1000, 'a'));
    const outbound = open();
    expect((await outbound.request({ url: base, timeoutMillis: 2000, maxBytes: 1000 })).body.length).toBe(1000);
    const cut = await outbound.request({ url: base, timeoutMillis: 2000, maxBytes: 10, cutBody: true });
    expect(cut).toMatchObject({ status: 200, body: Buffer.alloc(10, 'a') });
  });

  test('ends when the caller aborts, before or during the request', async () => {
    answer = () => {};
    const outbound = open();
    const controller = new AbortController();
    const running = failure(outbound.request({ url: base, timeoutMillis: 5000, signal: controller.signal }));
    setTimeout(() => controller.abort(), 50);
    expect((await running).kind).toBe('aborted');
    const late = outbound.request({ url: base, timeoutMillis: 5000, signal: controller.signal });
    expect((await failure(late)).kind).toBe('aborted');
  });

  test('ends requests under way when it is closed', async () => {
    answer = () => {};
    const outbound = open();
    const running = failure(outbound.request({ url: base, timeoutMillis: 5000 }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await outbound.close();
    expect((await running).kind).toBe('aborted');
  });
});

describe('the guard', () => {
  test('refuses loopback by default, as a literal and behind a name, without naming the address', async () => {
    const outbound = open({ allowPrivateNetworks: false, lookup: async () => ['127.0.0.1'] });
    expect((await failure(outbound.request({ url: base, timeoutMillis: 2000 }))).kind).toBe('refused_address');
    const error = await failure(outbound.request({ url: named('inside.test'), timeoutMillis: 2000 }));
    expect(error.kind).toBe('refused_address');
    expect(error.message).not.toContain('127');
    expect(seen.length).toBe(0);
  });

  test.each([
    ['a public and a loopback address', ['93.184.216.34', '::1']],
    ['a public and a private address', ['10.1.2.3', '93.184.216.34']],
    ['a mapped address', ['::ffff:127.0.0.1']],
  ])('refuses a host with %s (case C054)', async (_, addresses) => {
    const outbound = open({ allowPrivateNetworks: false, lookup: async () => addresses });
    expect((await failure(outbound.request({ url: named('mixed.test'), timeoutMillis: 2000 }))).kind).toBe(
      'refused_address',
    );
    expect(seen.length).toBe(0);
  });

  test('connects to the very address it checked: a second, different DNS answer is never asked for (case C054)', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const outbound = open({ lookup: async () => answers[asked++]! });
    const response = await outbound.request({ url: named('rebind.test'), timeoutMillis: 2000 });
    expect(response.address).toBe('127.0.0.1');
    expect(asked).toBe(1);
  });

  test('checks again at each new connection', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    let asked = 0;
    const outbound = open({ lookup: async () => answers[asked++]! });
    answer = (_, response) => response.writeHead(200, { connection: 'close' }).end();
    await outbound.request({ url: named('rebind.test'), timeoutMillis: 2000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const error = await failure(outbound.request({ url: named('rebind.test'), timeoutMillis: 2000 }));
    expect(error.kind).toBe('refused_address');
  });

  test('refuses metadata addresses even where private networks are allowed', async () => {
    const outbound = open({ lookup: async () => ['fd00:ec2::254'] });
    const error = await failure(outbound.request({ url: named('metadata.test'), timeoutMillis: 2000 }));
    expect(error.kind).toBe('refused_address');
  });

  test('says plainly what failed, without addresses', async () => {
    const nowhere = open({
      lookup: async () => {
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
      },
    });
    const unknown = await failure(nowhere.request({ url: 'http://nowhere.test/', timeoutMillis: 2000 }));
    expect(unknown).toMatchObject({ kind: 'unreachable', message: 'nowhere.test is not a known host name.' });

    const dead = open({ lookup: async () => ['127.0.0.1'] });
    const refused = await failure(dead.request({ url: 'http://dead.test:1/', timeoutMillis: 2000 }));
    expect(refused).toMatchObject({ kind: 'unreachable', message: 'dead.test:1 does not accept connections.' });

    const tls = await failure(
      dead.request({ url: named('plain.test').replace('http:', 'https:'), timeoutMillis: 2000 }),
    );
    expect(tls.kind).toBe('unreachable');
    expect(tls.message).not.toContain('127.0.0.1');
  });

  test('refuses a bad URL before anything is sent', async () => {
    expect((await failure(open().request({ url: 'ftp://h/', timeoutMillis: 100 }))).kind).toBe('refused_url');
  });
});
