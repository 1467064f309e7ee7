import type { FastifyInstance } from 'fastify';

interface Visit {
  status: number;
  headers: Record<string, string>;
  html: string;
}

/** A browser without a screen: it keeps its cookie and sends forms as a page of ours would. */
export class Visitor {
  readonly #app: FastifyInstance;
  /** `name=value`, as the browser sends it; undefined when it has none. */
  cookie: string | undefined;

  constructor(app: FastifyInstance, cookie?: string) {
    this.#app = app;
    this.cookie = cookie;
  }

  get = (url: string, headers: Record<string, string> = {}) => this.#send('GET', url, undefined, headers);

  /** Sends a form; `headers` may say that it came from elsewhere. */
  submit = (url: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    this.#send('POST', url, new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      ...headers,
    });

  signIn = (user: { email: string; password: string }, url = '/sign-in') =>
    this.submit(url, { email: user.email, password: user.password });

  async #send(method: 'GET' | 'POST', url: string, payload: string | undefined, headers: Record<string, string>) {
    const answer = await this.#app.inject({
      method,
      url,
      ...(payload === undefined ? {} : { payload }),
      headers: { ...(this.cookie ? { cookie: this.cookie } : {}), ...headers },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      this.cookie = /Max-Age=0/i.test(line) ? undefined : pair;
    }
    const visit: Visit = {
      status: answer.statusCode,
      headers: answer.headers as Record<string, string>,
      html: answer.payload,
    };
    return visit;
  }
}
