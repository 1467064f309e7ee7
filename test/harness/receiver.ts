import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** `body` parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies freely
  event: any;
  /** When its first byte arrived, by `performance.now()`. */
  at: number;
}

type Answer = (response: ServerResponse, received: Received) => void;

/** Somebody's webhook endpoint on this machine. It answers 200 until told otherwise. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answer = (response) => response.writeHead(200).end('ok');
  url = '';
  readonly #server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const received = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(`${body}`), at };
      this.received.push(received);
      this.answer(response, received);
      this.#waiting.splice(0).forEach((look) => void look());
    });
  });
  readonly #waiting: (() => void)[] = [];

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    receiver.url = `http://127.0.0.1:${(receiver.#server.address() as AddressInfo).port}/hook`;
    return receiver;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** Answers each request with the next of these statuses, the last one for ever. */
  answerWith(...statuses: number[]): void {
    let next = 0;
    this.answer = (response) => {
      response.writeHead(statuses[Math.min(next++, statuses.length - 1)]!).end();
    };
  }

  kinds(): string[] {
    return this.received.map(({ event }) => event.event);
  }

  /** Resolves when so many requests have arrived. */
  async wait(count: number): Promise<void> {
    while (this.received.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
