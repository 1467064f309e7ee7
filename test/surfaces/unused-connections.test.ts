import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { dropUnusedConnections } from '../../src/surfaces/http/unused-connections.ts';

test('a connection that never asked does not hold up a server that closes, and one that waits for its answer gets it', async () => {
  const server = fastify({ forceCloseConnections: 'idle' });
  dropUnusedConnections(server);
  let answer = () => {};
  server.get('/', () => new Promise((resolve) => (answer = () => resolve('answered'))));
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    const accepted = once(server.server, 'connection');
    await accepted;
    return socket;
  };

  const unused = await open();
  const waiting = await open();
  const asked = once(server.server, 'request');
  waiting.write('GET / HTTP/1.1\r\nHost: shop\r\n\r\n');
  await asked;
  const dropped = once(unused, 'close');
  const closed = server.close();
  await dropped;
  const heard = once(waiting, 'data');
  answer();
  expect(String((await heard)[0])).toContain('answered');
  waiting.destroy();
  await closed;
});
