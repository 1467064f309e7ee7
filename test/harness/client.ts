import type { FastifyInstance, InjectOptions } from 'fastify';

export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON, or the text when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; shapes are checked against the schemas
  body: any;
}

type Headers = Record<string, string>;

/** Speaks HTTP to the app in process, with one key. */
export class Client {
  readonly #app: FastifyInstance;
  readonly key: string | undefined;
  /** Of the API key. */
  readonly id: string | undefined;
  readonly #address: string | undefined;

  constructor(app: FastifyInstance, key: string | undefined, id: string | undefined, address?: string) {
    this.#app = app;
    this.key = key;
    this.id = id;
    this.#address = address;
  }

  /** The same client, calling from elsewhere. */
  from = (address: string) => new Client(this.#app, this.key, this.id, address);

  get = (url: string, headers: Headers = {}) => this.#send('GET', url, undefined, headers);
  post = (url: string, body?: unknown, headers: Headers = {}) => this.#send('POST', url, body, headers);
  patch = (url: string, body?: unknown, headers: Headers = {}) => this.#send('PATCH', url, body, headers);
  delete = (url: string, headers: Headers = {}) => this.#send('DELETE', url, undefined, headers);

  /** With a body that is sent as it is. */
  raw(method: 'POST' | 'PATCH' | 'DELETE' | 'PUT', url: string, payload: string | Buffer, headers: Headers = {}) {
    return this.#inject({ method, url, payload, headers });
  }

  #send(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body: unknown, headers: Headers): Promise<Reply> {
    if (body === undefined) return this.#inject({ method, url, headers });
    return this.#inject({
      method,
      url,
      payload: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  async #inject(request: InjectOptions): Promise<Reply> {
    const authorization = this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
    const remoteAddress = this.#address === undefined ? {} : { remoteAddress: this.#address };
    const headers = { ...authorization, ...request.headers };
    const answer = await this.#app.inject({ ...request, ...remoteAddress, headers });
    let body: unknown = answer.payload;
    try {
      body = JSON.parse(answer.payload);
    } catch {
      // SVG, empty, or a page.
    }
    return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body };
  }
}
