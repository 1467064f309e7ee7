import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addSeconds, type Clock, systemClock } from '../../src/kernel/clock.ts';
import { encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import type { Network } from '../../src/lightning/bolt11-format.ts';

/**
 * A wallet behind a lightning address, on loopback, that can be told to misbehave. `behaviour` is read at each request,
 * so that a test changes it whenever it likes.
 */
export interface LnurlBehaviour {
  network?: Network;
  /** Lifetime written into the invoice; the wallet decides, as in real life. */
  expirySeconds?: number;
  /** Shifts the date of the invoice. */
  timestampOffsetSeconds?: number;
  /** Amount written into the invoice for the amount asked; null leaves it out. */
  amountMsat?: (askedMsat: bigint) => bigint | null;
  commitment?: 'right' | 'missing' | 'other';
  metadata?: string;
  /** Changes the answer after it was made: spell the invoice otherwise, drop or add members. */
  payRequest?: (answer: Record<string, unknown>) => unknown;
  callback?: (answer: Record<string, unknown>) => unknown;
  verify?: (answer: Record<string, unknown>, invoice: ServedInvoice) => unknown;
  /** Takes over the answer to one kind of request. */
  instead?: Partial<Record<Stage, (response: ServerResponse, request: IncomingMessage) => void>>;
}

type Stage = 'payRequest' | 'callback' | 'verify';

interface ServedInvoice {
  readonly bolt11: string;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly expiresAt: Date;
  settled: boolean;
}

export const instead = {
  json:
    (body: unknown, status = 200) =>
    (response: ServerResponse) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  error: (reason: string, status = 200) => instead.json({ status: 'ERROR', reason }, status),
  html: (status: number) => (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'text/html' }).end(`<html><h1>Oh no, ${status}</h1></html>`),
  redirect: (location: string) => (response: ServerResponse) => void response.writeHead(302, { location }).end(),
  hang: () => (_: ServerResponse) => {},
  /** 50 MB of JSON string. */
  huge: () => (response: ServerResponse) => {
    let left = 800;
    response.write('{"status":"');
    const more = () => {
      while (left-- > 0) if (!response.write(Buffer.alloc(64 * 1024, 'x'))) return void response.once('drain', more);
      response.end('"}');
    };
    more();
  },
  drop: () => (response: ServerResponse) => void response.socket?.destroy(),
};

export class LnurlServer {
  behaviour: LnurlBehaviour = {};
  /** Request lines as received, path and query. */
  readonly requests: string[] = [];
  readonly invoices = new Map<string, ServedInvoice>();
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #nodeKey = createHash('sha256').update('node key of the lnurl test server').digest();
  #port = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(clock: Clock = systemClock): Promise<LnurlServer> {
    const server = new LnurlServer(clock);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    server.#port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  /** `host:port`; the name resolves to loopback only. */
  get host(): string {
    return `localhost:${this.#port}`;
  }

  get address(): string {
    return `alice@${this.host}`;
  }

  get lastInvoice(): ServedInvoice {
    return [...this.invoices.values()].at(-1)!;
  }

  settle(paymentHash: string): void {
    this.invoices.get(paymentHash)!.settled = true;
  }

  /** Answers a request as `behaviour` says now; for handlers in `instead` that let some requests through. */
  repeat(request: IncomingMessage, response: ServerResponse): void {
    this.requests.pop();
    this.#answer(request, response);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request.url!);
    const url = new URL(request.url!, `http://${this.host}`);
    const [, first, second, user] = url.pathname.split('/');
    if (first === '.well-known' && second === 'lnurlp' && user === user?.toLowerCase()) {
      this.#reply('payRequest', request, response, () => this.#payRequest());
    } else if (first === 'callback') {
      this.#reply('callback', request, response, () => this.#makeInvoice(BigInt(url.searchParams.get('amount')!)));
    } else if (first === 'verify') {
      this.#reply('verify', request, response, () => this.#verify(second!));
    } else {
      instead.error('Not found', 404)(response);
    }
  }

  #reply(stage: Stage, request: IncomingMessage, response: ServerResponse, ordinary: () => unknown): void {
    const takeOver = this.behaviour.instead?.[stage];
    if (takeOver) takeOver(response, request);
    else instead.json(ordinary())(response);
  }

  get #metadata(): string {
    return this.behaviour.metadata ?? JSON.stringify([['text/plain', 'Sats for Alice']]);
  }

  #payRequest(): unknown {
    const answer = {
      tag: 'payRequest',
      callback: `http://${this.host}/callback`,
      minSendable: 1000,
      maxSendable: 100_000_000_000,
      metadata: this.#metadata,
    };
    return this.behaviour.payRequest?.(answer) ?? answer;
  }

  #makeInvoice(askedMsat: bigint): unknown {
    const { behaviour } = this;
    const preimage = randomBytes(32);
    const paymentHash = sha256(preimage);
    const timestamp = addSeconds(this.#clock.now(), behaviour.timestampOffsetSeconds ?? 0);
    const expirySeconds = behaviour.expirySeconds ?? 900;
    const described = { right: sha256(this.#metadata), other: sha256('other text') };
    const commitment = behaviour.commitment ?? 'right';
    const bolt11 = encodeBolt11(
      {
        network: behaviour.network ?? 'regtest',
        amountMsat: behaviour.amountMsat ? behaviour.amountMsat(askedMsat) : askedMsat,
        timestamp,
        expirySeconds,
        paymentHash,
        paymentSecret: randomBytes(32).toString('hex'),
        describedBy:
          commitment === 'missing' ? { description: 'no hash here' } : { descriptionHash: described[commitment] },
      },
      this.#nodeKey,
    );
    const invoice = { bolt11, paymentHash, preimage: preimage.toString('hex'), settled: false };
    this.invoices.set(paymentHash, { ...invoice, expiresAt: addSeconds(timestamp, expirySeconds) });
    const answer = { pr: bolt11, routes: [], verify: `http://${this.host}/verify/${paymentHash}` };
    return behaviour.callback?.(answer) ?? answer;
  }

  #verify(paymentHash: string): unknown {
    const invoice = this.invoices.get(paymentHash);
    if (!invoice) return { status: 'ERROR', reason: 'Not found' };
    const { settled, preimage, bolt11, expiresAt } = invoice;
    if (!settled && expiresAt <= this.#clock.now()) return { status: 'ERROR', reason: 'Invoice expired.' };
    const answer = { status: 'OK', settled, preimage: settled ? preimage : null, pr: bolt11 };
    return this.behaviour.verify?.(answer, invoice) ?? answer;
  }
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}
