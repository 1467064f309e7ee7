import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compressPages } from '../../../src/surfaces/pages/compress-pages.ts';

const app = fastify();
const page = `<!doctype html>${'word '.repeat(1000)}`;

beforeAll(async () => {
  app.addHook('onSend', compressPages);
  app.get('/page', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('vary', 'accept').send(page),
  );
  app.get('/short', async (_request, reply) => reply.type('text/html').send('short'));
  app.get('/json', async () => ({ text: page }));
  await app.ready();
});
afterAll(() => app.close());

test.each([
  ['/page', 'gzip, deflate, br', 'br'],
  ['/page', 'gzip', 'gzip'],
  ['/page', 'br;q=0, gzip;q=0.5', 'gzip'],
  ['/page', 'identity', undefined],
  ['/page', undefined, undefined],
  ['/short', 'br', undefined],
  ['/json', 'br', undefined],
])('%s for %j is sent as %j', async (url, accepted, encoding) => {
  const answer = await app.inject({ url, headers: accepted ? { 'accept-encoding': accepted } : {} });
  expect(answer.headers['content-encoding']).toBe(encoding);
  expect(answer.headers['content-length']).toBe(`${answer.rawPayload.length}`);
  if (url === '/page') expect(answer.headers.vary).toBe('accept, accept-encoding');
});
