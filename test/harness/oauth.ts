import { createHash, randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { hashToken } from '../../src/auth/hash-token.ts';
import type { Parts } from '../../src/flows/parts.ts';
import { addSeconds } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { insertUserSession } from '../../src/store/user-sessions.ts';
import type { TestApp } from './app.ts';
import { Client } from './client.ts';

export const mcpPath = '/api/v1/mcp';
export const callback = 'http://127.0.0.1:5007/callback';

export interface Tokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

/** PKCE (RFC 7636). */
export function newPkce() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** What answers requests: an app in this process, or another process over HTTP. */
export interface Door {
  inject(request: {
    method: 'GET' | 'POST';
    url: string;
    headers: Record<string, string>;
    payload?: string;
  }): Promise<Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'payload' | 'json'>>;
}

/** An assistant and the browser of a person, over HTTP in process. */
export class Assistant {
  #app: Door;
  readonly #base: string;
  clientId = '';
  clientSecret: string | undefined;
  #pkce = newPkce();
  readonly #parts: Parts;
  readonly #jar = new Map<string, { value: string; path: string }>();

  constructor(app: TestApp) {
    this.#app = app.app;
    this.#parts = app.parts;
    this.#base = app.parts.links.publicUrl;
  }

  get resource(): string {
    return this.#base + mcpPath;
  }

  /** The same assistant at another process. */
  at(app: TestApp): Assistant {
    const twin = new Assistant(app);
    twin.clientId = this.clientId;
    twin.clientSecret = this.clientSecret;
    twin.#pkce = this.#pkce;
    return twin;
  }

  /** Goes on at another process, cookies and all. */
  moveTo({ app }: { app: Door }): void {
    this.#app = app;
  }

  async register(metadata: object = {}) {
    const answer = await this.#app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ client_name: 'Test Assistant', redirect_uris: [callback], ...metadata }),
    });
    const body = answer.json();
    if (answer.statusCode === 201) {
      this.clientId = body.client_id;
      this.clientSecret = body.client_secret;
    }
    return { status: answer.statusCode, body };
  }

  /** Begins an authorization; parameters that are undefined are left out. */
  async authorize(changes: Record<string, string | undefined> = {}): ReturnType<Door['inject']> {
    this.#pkce = newPkce();
    const parameters = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: callback,
      code_challenge: this.#pkce.challenge,
      code_challenge_method: 'S256',
      state: 'some state',
      scope: 'catalog payment_links',
      resource: this.resource,
      ...changes,
    };
    const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.browse('GET', `/oauth/authorize?${new URLSearchParams(given)}`);
  }

  /** What a browser does: cookies by their paths, forms as a page of ours would send them. */
  async browse(method: 'GET' | 'POST', address: string, form: Record<string, string> = {}) {
    const url = address.startsWith(this.#base) ? address.slice(this.#base.length) : address;
    const cookie = [...this.#jar]
      .filter(([, { path }]) => url.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
    const answer = await this.#app.inject({
      method,
      url,
      headers: {
        accept: 'text/html',
        ...(cookie ? { cookie } : {}),
        ...(method === 'POST'
          ? { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }
          : {}),
      },
      ...(method === 'POST' ? { payload: new URLSearchParams(form).toString() } : {}),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
      if (value === '') this.#jar.delete(name);
      else this.#jar.set(name, { value, path });
    }
    return answer;
  }

  /** Signs the browser in without the time that a password takes. */
  async signIn(user: { id: string }): Promise<void> {
    const session = randomBytes(32).toString('base64url');
    const now = this.#parts.clock.now();
    await insertUserSession(this.#parts.db, {
      id: newId(),
      userId: user.id,
      kind: 'web',
      tokenHash: hashToken(session),
      device: null,
      expiresAt: addSeconds(now, 3600),
      now,
    });
    this.#jar.set('satline_session', { value: session, path: '/' });
  }

  /** From the request to the address that the client is called back at. */
  async consent(answer: Record<string, string>, changes: Record<string, string | undefined> = {}): Promise<URL> {
    const begun = await this.authorize(changes);
    return this.answer(begun.headers.location!, answer);
  }

  async answer(page: string, form: Record<string, string>): Promise<URL> {
    const answered = await this.browse('POST', page, form);
    const resumed = await this.browse('GET', answered.headers.location!);
    return new URL(resumed.headers.location!);
  }

  async token(parameters: Record<string, string | undefined>) {
    const all = { client_id: this.clientId, client_secret: this.clientSecret, ...parameters };
    const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.#post('/oauth/token', given);
  }

  redeem = (code: string, changes: Record<string, string | undefined> = {}) =>
    this.token({
      grant_type: 'authorization_code',
      code,
      code_verifier: this.#pkce.verifier,
      redirect_uri: callback,
      resource: this.resource,
      ...changes,
    });

  refresh = (refreshToken: string, changes: Record<string, string | undefined> = {}) =>
    this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes });

  revoke = (token: string) =>
    this.#post('/oauth/revoke', [
      ['client_id', this.clientId],
      ['token', token],
    ]);

  async #post(url: string, form: [string, string][]) {
    const answer = await this.#app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    });
    const body = answer.payload === '' ? undefined : answer.json();
    return { status: answer.statusCode, headers: answer.headers, body };
  }
}

/** Registers, signs in, agrees and redeems: an assistant with its tokens. */
export async function connect(
  app: TestApp,
  user: { id: string },
  merchantId: string,
  { mode = 'test', scope, metadata }: { mode?: 'test' | 'live'; scope?: string; metadata?: object } = {},
): Promise<{ assistant: Assistant; tokens: Tokens; client: Client }> {
  const assistant = new Assistant(app);
  await assistant.register(metadata);
  await assistant.signIn(user);
  const url = await assistant.consent({ answer: 'allow', merchant: merchantId, mode }, scope ? { scope } : {});
  const { body } = await assistant.redeem(url.searchParams.get('code')!);
  return { assistant, tokens: body, client: new Client(app.app, body.access_token, undefined) };
}
