import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { TrackedOptions } from './outbound-connect.ts';
import { connectionError, OutboundError, type OutboundErrorKind } from './outbound-error.ts';

export interface OutboundRequest {
  readonly url: string | URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For everything together: look-up, connection, answer to its last byte. */
  readonly timeoutMillis: number;
  /** Largest body, default 256 KiB. */
  readonly maxBytes?: number;
  /** Keep the first `maxBytes` of a larger body instead of failing; for answers of which only the status counts. */
  readonly cutBody?: boolean;
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The address that answered. */
  readonly address: string;
}

const defaultMaxBytes = 256 * 1024;

/** Sends one request; whatever ends it first (answer, limit, deadline, caller) decides. */
export function exchange(agent: Dispatcher, url: URL, request: OutboundRequest): Promise<OutboundResponse> {
  return new Promise((resolve, reject) => new Exchange(url, request, resolve, reject).start(agent));
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #url: URL;
  readonly #request: OutboundRequest;
  readonly #track: TrackedOptions['track'] = {};
  readonly #chunks: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;
  #size = 0;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #over = false;
  readonly #resolve: (response: OutboundResponse) => void;
  readonly #reject: (error: OutboundError) => void;

  constructor(
    url: URL,
    request: OutboundRequest,
    resolve: (response: OutboundResponse) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.#url = url;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.#fail('timeout', `${url.host} did not answer in time.`), request.timeoutMillis);
  }

  start(agent: Dispatcher): void {
    const { signal, method, headers, body } = this.#request;
    if (signal?.aborted) {
      this.#onAbort();
      return;
    }
    if (signal) {
      // One signal may end a whole batch of requests; Node takes more than ten listeners for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    const options: TrackedOptions = {
      origin: this.#url.origin,
      path: this.#url.pathname + this.#url.search,
      method: method ?? 'GET',
      headers: headers ?? {},
      body: body ?? null,
      track: this.#track,
    };
    agent.dispatch(options, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline may have passed while the request waited for a connection; then nothing is sent.
    if (this.#over) controller.abort(new Error('The request was given up.'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    if (status >= 300 && status < 400 && status !== 304) {
      this.#fail('redirect', `${this.#url.host} answered with a redirect, which is not followed.`);
      return;
    }
    const announced = Number(headers['content-length'] ?? 0);
    if (announced > this.#maxBytes && !this.#request.cutBody) this.#failTooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    this.#size += chunk.length;
    if (this.#size <= this.#maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    if (!this.#request.cutBody) {
      this.#failTooLarge();
      return;
    }
    this.#chunks.push(chunk.subarray(0, chunk.length - (this.#size - this.#maxBytes)));
    this.#succeed();
    this.#controller?.abort(new Error('The rest of the answer is not wanted.'));
  }

  onResponseEnd(): void {
    this.#succeed();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#reject(connectionError(this.#url.host, error, this.#status || undefined));
    this.#end();
  }

  readonly #onAbort = () => this.#fail('aborted', `The request to ${this.#url.host} was given up.`);

  get #maxBytes(): number {
    return this.#request.maxBytes ?? defaultMaxBytes;
  }

  #succeed(): void {
    const response = { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) };
    this.#resolve({ ...response, address: this.#track.client?.address ?? '' });
    this.#end();
  }

  #failTooLarge(): void {
    this.#fail('too_large', `${this.#url.host} answered with more than ${this.#maxBytes} bytes.`);
  }

  #fail(kind: OutboundErrorKind, message: string): void {
    const error = new OutboundError(kind, message, { status: this.#status || undefined });
    this.#reject(error);
    this.#end();
    this.#controller?.abort(error);
  }

  /** Resolving or rejecting twice has no effect, so only the clean-up needs to know that it is over. */
  #end(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
  }
}
