/** The HTTP around a wallet's API: a loopback port in front of a desk that answers, and the ways a server can fail. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { RawAnswer } from './address-behaviour.ts';

export interface WalletCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type WalletDesk = (call: WalletCall) => RawAnswer;

export interface WalletServer {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** Every call that came, oldest first. */
  readonly calls: readonly WalletCall[];
  /** `fail` answers HTML with status 500; `hang` never answers; `drop` cuts the connection. */
  outage: 'none' | 'fail' | 'hang' | 'drop';
  /**
   * For each thing to be told, after how many milliseconds it is sent: once at once unless a test says otherwise. None:
   * it is lost; several: it is doubled; different ones: what comes later overtakes.
   */
  pushes: () => readonly number[];
  /** Cuts every connection, those that push among them. */
  cut(): void;
  stop(): Promise<void>;
}

/** How a server tells by itself; each returns false for a call that is not for it. */
interface WalletPush {
  lines?(call: WalletCall, write: (line: unknown) => void, isGone: () => boolean): boolean;
  /** Answers later, or never. */
  later?(call: WalletCall, answer: (answer: RawAnswer) => void): boolean;
  socket?(call: WalletCall, socket: WebSocket): boolean;
}

export async function startWalletServer(desk: WalletDesk, push: WalletPush = {}): Promise<WalletServer> {
  const calls: WalletCall[] = [];
  const sockets = new WebSocketServer({ noServer: true });
  async function onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://wallet');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    };
    calls.push(call);
    if (server.outage === 'hang') return;
    if (server.outage === 'drop') return void request.socket.destroy();
    if (server.outage === 'none') {
      const write = (line: unknown) => void response.write(`${JSON.stringify(line)}\n`);
      if (push.lines?.(call, write, () => response.destroyed)) return;
      if (push.later?.(call, ({ status, headers, body }) => response.writeHead(status, headers).end(body))) return;
    }
    const answer = server.outage === 'fail' ? failure : desk(call);
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }
  const http = createServer((request, response) => {
    onRequest(request, response).catch(() => response.destroy());
  });
  http.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://wallet');
    const { headers, method = 'GET' } = request;
    const call = { method, path: url.pathname, query: url.searchParams, headers, body: '' };
    if (server.outage !== 'none' || !push.socket) return void socket.destroy();
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on('error', () => {});
      if (!push.socket!(call, opened)) opened.terminate();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: WalletServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    calls,
    outage: 'none',
    pushes: () => [0],
    cut() {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
    },
    async stop() {
      server.cut();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

const failure: RawAnswer = {
  status: 500,
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>Internal Server Error</h1> at /srv/wallet/app.py</body></html>',
};

export function jsonAnswer(body: unknown, status = 200): RawAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export const emptyAnswer = (status: number): RawAnswer => ({ status });

/** A JSON body, or an empty object. */
export function readBody(call: WalletCall): Record<string, unknown> {
  try {
    return JSON.parse(call.body);
  } catch {
    return {};
  }
}
