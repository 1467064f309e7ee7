// The yardstick for reading: a Fastify server that answers a constant of the given number of bytes, to whoever asks for it
// or sends it some JSON, or that nothing has changed.
import fastify from 'fastify';

const empty = '{"constant":""}';
const body = JSON.stringify({ constant: 'x'.repeat(Number(process.argv[2] ?? empty.length) - empty.length) });
const server = fastify({ logger: false });
for (const method of ['get', 'post']) {
  server[method]('/constant', (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(body);
  });
}
server.get('/unchanged', (_request, reply) => {
  reply.code(304).header('etag', '"constant"').send();
});
await server.listen({ host: '127.0.0.1', port: 0 });
const { port } = /** @type {import('node:net').AddressInfo} */ (server.server.address());
process.send?.({ port });
process.on('disconnect', () => process.exit());
