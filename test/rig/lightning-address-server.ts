/** A provider of lightning addresses (LUD-06, 12, 16, 21) in front of one node: plain HTTP on a loopback port. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AddressBehaviour, honestBehaviour } from './address-behaviour.ts';
import { AddressDesk, type IssuedInvoice, type ReceivingNode } from './address-desk.ts';
import { realTimers } from './timing.ts';

export interface LightningAddressServer {
  /** `user@localhost:port`: an address may not name an IP, so the host is a name. Speaks http, not https. */
  readonly address: string;
  /** `http://localhost:port`. The same server answers as `127.0.0.1:port`; URLs it gives out follow the Host header. */
  readonly origin: string;
  readonly port: number;
  /** Change it while the server runs. */
  readonly behaviour: AddressBehaviour;
  /** Every invoice handed out, oldest first. */
  readonly issued: readonly IssuedInvoice[];
  /**
   * Requests whose path starts with `pathPrefix`: `/.well-known/`, `/callback/`, `/verify/`; default all of them.
   * Connections cut by `outage: 'drop'` before they asked for anything are not counted.
   */
  requestCount(pathPrefix?: string): number;
  stop(): Promise<void>;
}

/** Starts a provider for one user. What is not given behaves honestly; see AddressBehaviour. */
export async function startLightningAddressServer(
  node: ReceivingNode,
  { user, ...wanted }: { user: string } & Partial<AddressBehaviour>,
): Promise<LightningAddressServer> {
  const behaviour = { ...honestBehaviour(), ...wanted };
  const paths: string[] = [];
  let desk: AddressDesk | undefined;

  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
    paths.push(url.pathname);
    if (behaviour.outage === 'drop') request.socket.destroy();
    if (behaviour.outage !== 'none') return;
    if (behaviour.delayMs > 0) await pause(behaviour.delayMs);
    const answer = behaviour.answer?.(url) ?? desk?.answer(url) ?? { status: 503 };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const serve = () => {
    const server = createServer((request, response) => {
      onRequest(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      if (behaviour.outage === 'drop') socket.destroy();
    });
    return server;
  };

  const servers = [serve()];
  const port = await listen(servers[0]!, '127.0.0.1', 0);
  // Some machines look up `localhost` as ::1 first. Where there is no IPv6, nobody can come that way either.
  const second = serve();
  await listen(second, '::1', port).then(
    () => servers.push(second),
    () => {},
  );
  const host = `localhost:${port}`;
  desk = new AddressDesk(node, user, host, behaviour);
  return {
    address: `${user}@${host}`,
    origin: `http://${host}`,
    port,
    behaviour,
    issued: desk.issued,
    requestCount: (pathPrefix = '/') => paths.filter((path) => path.startsWith(pathPrefix)).length,
    stop: async () => {
      await Promise.all(servers.splice(0).map(close));
    },
  };
}

/** Keeps no process alive by itself: `stop` cuts those who still wait. */
function pause(millis: number): Promise<void> {
  return new Promise((resolve) => realTimers.setTimeout(resolve, millis).unref());
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
