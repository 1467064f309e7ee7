import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** For the rest of a request to arrive once the server closes: nobody has begun with it, so nothing is half done. */
const graceMillis = 1000;
const lookMillis = 100;

/**
 * Ends, while the server closes, the connections on which no answer is due: those that never asked anything, those that are
 * kept for a next call, and after a second those on which a request has not arrived whole. Node waits for all but the second
 * kind, and looks for that one only when closing begins.
 */
export function dropUnusedConnections(server: FastifyInstance): void {
  const { server: http } = server;
  const open = new Map<Socket, Set<ServerResponse>>();
  http.on('connection', (socket: Socket) => {
    open.set(socket, new Set());
    socket.once('close', () => open.delete(socket));
  });
  http.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const due = open.get(socket);
    due?.add(response);
    response.once('close', () => due?.delete(response));
  });
  server.addHook('preClose', async () => {
    const beganAt = performance.now();
    // Browsers open connections ahead of need.
    for (const socket of open.keys()) if (socket.bytesRead === 0) socket.destroy();
    const look = setInterval(() => {
      http.closeIdleConnections();
      if (performance.now() - beganAt < graceMillis) return;
      for (const [socket, due] of open) if (![...due].some(({ req }) => req.complete)) socket.destroy();
    }, lookMillis);
    http.once('close', () => clearInterval(look));
  });
}
