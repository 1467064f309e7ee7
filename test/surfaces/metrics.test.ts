import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

type Request = { headers?: Record<string, string>; remoteAddress?: string };

/** What somebody on this machine who asks for it by its loopback name is answered, where nothing else is said. */
async function read(server: TestApp['app'], { headers, remoteAddress = '127.0.0.1' }: Request = {}) {
  const { statusCode, body } = await server.inject({
    url: '/metrics',
    remoteAddress,
    headers: { host: '127.0.0.1:3000', ...headers },
  });
  return { statusCode, body };
}

describe('without a token', () => {
  test.each(['127.0.0.1:3000', 'localhost:3000', '[::1]:3000'])(
    'they are told on this machine, by %s',
    async (host) => {
      for (const remoteAddress of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
        const { statusCode, body } = await read(app.app, { headers: { host }, remoteAddress });
        expect(statusCode).toBe(200);
        expect(body).toMatch(/^# HELP /m);
      }
    },
  );

  test.each<[string, Request]>([
    ['a page whose name was pointed at this machine', { headers: { host: 'evil.example:3000' } }],
    ['a name that only begins like one of this machine', { headers: { host: '127.0.0.1.evil.example' } }],
    ['another machine', { remoteAddress: '192.0.2.7' }],
    ['a proxy that says for whom', { headers: { 'x-forwarded-for': '192.0.2.7' } }],
    ['a proxy that says so by the standard', { headers: { forwarded: 'for=192.0.2.7' } }],
  ])('%s is told nothing', async (_, request) => {
    const { statusCode, body } = await read(app.app, request);
    expect(statusCode).toBe(403);
    expect(JSON.parse(body).error).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('METRICS_TOKEN'),
    });
  });

  test('nobody is told where the service has a public address: a proxy on this machine may say nothing', async () => {
    const publicApp = await openTestApp({ watch: false, env: { PUBLIC_URL: 'https://pay.example.com' } });
    expect((await read(publicApp.app)).statusCode).toBe(403);
    await publicApp.close();
  });
});

test('whoever shows the token is told, wherever they are', async () => {
  const server = await buildApp(app.parts, { metricsToken: 'metrics-secret' });
  const remoteAddress = '192.0.2.7';
  const bearer = (token: string) => ({ headers: { host: 'pay.example.com', authorization: token }, remoteAddress });
  expect((await read(server, bearer('Bearer metrics-secret'))).statusCode).toBe(200);
  for (const wrong of ['Bearer metrics-secre', 'metrics-secret', 'Bearer ', '']) {
    expect((await read(server, bearer(wrong))).statusCode).toBe(403);
  }
  expect((await read(server)).statusCode).toBe(403);
  await server.close();
});
