import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { dropUnusedConnections } from '../../src/surfaces/http/unused-connections.ts';

const whole = 'GET / HTTP/1.1\r\nHost: shop\r\n\r\n';
const json = 'POST / HTTP/1.1\r\nHost: shop\r\nContent-Type: application/json\r\n';

test('a server that closes waits for answers that are due, and for no connection else', async () => {
  const server = fastify({ forceCloseConnections: 'idle', return503OnClosing: false });
  dropUnusedConnections(server);
  const answers: (() => void)[] = [];
  server.get('/', () => new Promise((resolve) => answers.push(() => resolve('answered'))));
  server.post('/', async () => 'taken');
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const open = async (sent: string) => {
    const accepted = once(server.server, 'connection');
    const socket = connect(port, '127.0.0.1');
    const [far] = await accepted;
    socket.write(sent);
    while (far.bytesRead < sent.length) await new Promise(setImmediate);
    // One that is destroyed may say so.
    socket.on('error', () => {});
    return { socket, closed: once(socket, 'close') };
  };

  const unused = await open('');
  const halfHeader = await open('GET / HTTP/1.1\r\nHost: sh');
  const halfBody = await open(`${json}Content-Length: 9\r\n\r\n"1`);
  const waiting = await open(`${whole}GET / HTTP/1.1\r\nHost: sh`);
  const late = await open('GET / HTTP/1.1\r\nHost: sh');
  const closed = server.close();
  await unused.closed;
  late.socket.write('op\r\n\r\n');
  const beganAt = performance.now();
  await Promise.all([halfHeader.closed, halfBody.closed]);
  expect(performance.now() - beganAt).toBeLessThan(5000);

  const heard = [waiting, late].map(({ socket }) => once(socket, 'data'));
  expect(answers).toHaveLength(2);
  for (const answer of answers) answer();
  expect((await Promise.all(heard)).map(String)).toEqual(Array(2).fill(expect.stringContaining('answered')));
  await closed;
}, 20_000);
