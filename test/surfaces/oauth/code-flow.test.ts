import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { onPostgres } from '../../harness/database.ts';
import { Assistant, callback, newPkce } from '../../harness/oauth.ts';
import { addUser } from '../../harness/people.ts';

let app: TestApp;
let merchant: TestMerchant;
let owner: Awaited<ReturnType<typeof addUser>>;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  owner = await addUser(app, [merchant]);
});
afterAll(() => app.close());

const allow = () => ({ answer: 'allow', merchant: merchant.id, mode: 'test' });

async function signedIn(metadata?: object): Promise<Assistant> {
  const assistant = new Assistant(app);
  await assistant.register(metadata);
  await assistant.signIn(owner);
  return assistant;
}

async function codeFor(assistant: Assistant, changes: Record<string, string | undefined> = {}): Promise<string> {
  const url = await assistant.consent(allow(), changes);
  expect(url.searchParams.get('error')).toBeNull();
  return url.searchParams.get('code')!;
}
const catalog = async (token: string) =>
  (await app.stranger.get('/api/v1/m/catalog', { authorization: `Bearer ${token}` })).status;

describe('authorization', () => {
  test('asks somebody who is not signed in to sign in, and comes back', async () => {
    const assistant = new Assistant(app);
    await assistant.register();
    const begun = await assistant.authorize();
    expect(begun.statusCode).toBe(303);
    const page = begun.headers.location!;
    const sent = await assistant.browse('GET', page);
    expect(sent.headers.location).toBe(`/sign-in?return_to=${encodeURIComponent(page)}`);
    const back = await assistant.browse('POST', sent.headers.location!, {
      email: owner.email,
      password: owner.password,
    });
    expect(back.headers.location).toBe(page);
    expect((await assistant.browse('GET', page)).statusCode).toBe(200);
  });

  test('tells the code, the state and who answers (RFC 9207) to the address that was asked for', async () => {
    const url = await (await signedIn()).consent(allow());
    expect(url.origin + url.pathname).toBe(callback);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'some state',
      iss: app.parts.links.publicUrl,
    });
  });

  test('tells the client when the person does not agree', async () => {
    const url = await (await signedIn()).consent({ answer: 'deny' });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ error: 'access_denied', state: 'some state' });
    expect(url.searchParams.has('code')).toBe(false);
  });

  test.each([
    [
      'no code_challenge (case C100)',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['a code_challenge without its method (case C100)', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain (case C100)', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['an implicit answer', { response_type: 'token' }, 'unsupported_response_type'],
    ['an answer as a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['an answer behind a #', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['no questions, where there must be one', { prompt: 'none' }, 'login_required'],
  ])('refuses %s, and tells the client', async (_, changes, error) => {
    const begun = await (await signedIn()).authorize(changes);
    const told = new URL(begun.headers.location!);
    expect(told.origin + told.pathname).toBe(callback);
    const parameters = new URLSearchParams(told.search || told.hash.slice(1));
    expect(parameters.get('error')).toBe(error);
    expect(parameters.get('state')).toBe('some state');
  });

  test.each([
    ['another host', { redirect_uri: 'https://elsewhere.example/callback' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:5007/other' }],
    ['the other name of this computer', { redirect_uri: 'http://localhost:5007/callback' }],
    ['a client that is not there', { client_id: 'client_none' }],
    ['a client that no table could hold', { client_id: 'client_\0' }],
  ])('shows a page and goes nowhere for %s', async (_, changes) => {
    const answer = await (await signedIn()).authorize(changes);
    expect(answer.statusCode).toBe(400);
    expect(answer.headers.location).toBeUndefined();
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.payload).toContain('This request cannot be answered');
  });

  test('a loopback address may have any port (case C098)', async () => {
    const assistant = await signedIn({ redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]:5/callback'] });
    for (const address of ['http://127.0.0.1:49567/callback', 'http://[::1]:8123/callback']) {
      const code = await codeFor(assistant, { redirect_uri: address });
      expect((await assistant.redeem(code, { redirect_uri: address })).status).toBe(200);
    }
  });

  test.each([
    ['none', undefined],
    ['with a slash at its end', 'http://127.0.0.1:3000/api/v1/mcp/'],
    ['only the host', 'http://127.0.0.1:3000'],
    ['only the host with a slash', 'http://127.0.0.1:3000/'],
  ])('takes a resource that is %s for the one that there is', async (_, resource) => {
    const assistant = await signedIn();
    const code = await codeFor(assistant, { resource });
    const { body } = await assistant.redeem(code, { resource });
    expect(await catalog(body.access_token)).toBe(200);
    const refreshed = await assistant.refresh(body.refresh_token, { resource });
    expect(await catalog(refreshed.body.access_token)).toBe(200);
  });

  test.each([
    ['nothing', undefined, 'catalog payment_links'],
    ['what there is not', 'claudeai', 'catalog payment_links'],
    ['a sign-in', 'openid profile offline_access catalog', 'catalog'],
    ['one', 'payment_links', 'payment_links'],
  ])('a client that asks for the scope of %s gets what there is', async (_, scope, given) => {
    const assistant = await signedIn();
    const code = await codeFor(assistant, { scope, nonce: 'n', prompt: 'consent' });
    const { body } = await assistant.redeem(code);
    expect(body.scope).toBe(given);
    expect(body).not.toHaveProperty('id_token');
  });
});

describe('the page that asks', () => {
  const open = async (assistant: Assistant, changes = {}) => {
    const begun = await assistant.authorize(changes);
    return { path: begun.headers.location!, page: await assistant.browse('GET', begun.headers.location!) };
  };

  test('names the client, where the answer goes and what it opens; its form may lead to the client', async () => {
    const assistant = await signedIn({
      client_name: '<script>alert(1)</script>',
      redirect_uris: ['https://client.example/cb'],
    });
    const { page } = await open(assistant, { redirect_uri: 'https://client.example/cb', scope: 'catalog' });
    expect(page.payload).toContain('&lt;script>alert(1)&lt;/script>');
    expect(page.payload).not.toContain('<script>alert');
    expect(page.payload).toContain('client.example');
    expect(page.payload).toContain('See and change products');
    expect(page.payload).not.toContain('Make payment links');
    const policy = page.headers['content-security-policy'];
    expect(policy).toContain("frame-ancestors 'none'");
    // Browsers check every step after a form, and the client's address may lead on.
    expect(policy).not.toContain('form-action');
    expect(page.headers['cache-control']).toBe('no-store');
  });

  test('lets somebody with several merchants choose, and nobody else’s', async () => {
    const [first, second, foreign] = [await app.newMerchant(), await app.newMerchant(), await app.newMerchant()];
    const person = await addUser(app, [first, second]);
    const assistant = new Assistant(app);
    await assistant.register();
    await assistant.signIn(person);
    const { path, page } = await open(assistant);
    expect(page.payload).toContain(first.id);
    expect(page.payload).toContain(second.id);
    const refused = await assistant.browse('POST', path, { answer: 'allow', merchant: foreign.id, mode: 'test' });
    expect(refused.statusCode).toBe(403);
    const url = await assistant.answer(path, { answer: 'allow', merchant: second.id, mode: 'test' });
    const { body } = await assistant.redeem(url.searchParams.get('code')!);
    const seen = await app.stranger.get('/api/v1/m/catalog', { authorization: `Bearer ${body.access_token}` });
    expect(seen.body.merchant_id).toBe(second.id);
  });

  test('lets only owners and managers of active merchants agree', async () => {
    const cashier = await addUser(app, [merchant], 'cashier');
    const assistant = new Assistant(app);
    await assistant.register();
    await assistant.signIn(cashier);
    const { path, page } = await open(assistant);
    expect(page.payload).toContain('Only an owner or a manager');
    expect(page.payload).not.toContain('value="allow"');
    expect((await assistant.browse('POST', path, allow())).statusCode).toBe(403);
  });

  test('refuses what another site sends, and an answer without a choice', async () => {
    const assistant = await signedIn();
    const { path } = await open(assistant);
    const foreign = await app.app.inject({
      method: 'POST',
      url: path,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'cross-site',
        origin: 'https://x.example',
      },
      payload: new URLSearchParams(allow()).toString(),
    });
    expect(foreign.statusCode).toBe(403);
    expect((await assistant.browse('POST', path, { answer: 'allow', mode: 'test' })).statusCode).toBe(400);
    expect((await assistant.browse('POST', path, { ...allow(), mode: 'other' })).statusCode).toBe(400);
  });

  test('is for the browser that asked, while it lasts, and takes one answer', async () => {
    const assistant = await signedIn();
    const { path } = await open(assistant);
    const stranger = await signedIn();
    expect((await stranger.browse('GET', path)).statusCode).toBe(410);
    const first = await assistant.browse('POST', path, allow());
    const again = await assistant.browse('POST', path, allow());
    expect(again.headers.location).toBe(first.headers.location);
    expect(await app.rows('select 1 from oauth_connections where client_id = $1', [assistant.clientId])).toHaveLength(
      1,
    );
    await assistant.browse('GET', first.headers.location!);
    expect((await assistant.browse('GET', path)).statusCode).toBe(410);

    const { path: late } = await open(assistant);
    app.clock.advanceSeconds(3601);
    expect((await assistant.browse('GET', late)).statusCode).toBe(410);
    await assistant.signIn(owner);
  });

  test('speaks the browser’s language', async () => {
    const assistant = await signedIn();
    const { path } = await open(assistant);
    const page = await assistant.browse('GET', `${path}?locale=de`);
    expect(page.payload).toContain('<html lang="de"');
    expect(page.payload).toContain('Test Assistant verbinden?');
  });
});

describe('a code', () => {
  test.each([
    ['a wrong verifier (case C100)', () => ({ code_verifier: newPkce().verifier })],
    ['no verifier', () => ({ code_verifier: undefined })],
    ['another redirect_uri (case C100)', () => ({ redirect_uri: 'http://127.0.0.1:5008/callback' })],
    ['another client', async () => ({ client_id: (await signedIn()).clientId })],
  ])('is refused with %s, and then still good for its client', async (_, changes) => {
    const assistant = await signedIn();
    const code = await codeFor(assistant);
    const refused = await assistant.redeem(code, await changes());
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await assistant.redeem(code)).status).toBe(200);
  });

  test('is for the resource that was asked for', async () => {
    const assistant = await signedIn();
    const refused = await assistant.redeem(await codeFor(assistant), { resource: 'https://elsewhere.example/' });
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  test('works once; used twice, all that came of it is dead (case C100)', async () => {
    const assistant = await signedIn();
    const code = await codeFor(assistant);
    const { body } = await assistant.redeem(code);
    expect(await catalog(body.access_token)).toBe(200);
    expect(await assistant.redeem(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await catalog(body.access_token)).toBe(401);
    expect((await assistant.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('is over after a minute', async () => {
    const assistant = await signedIn();
    const code = await codeFor(assistant);
    app.clock.advanceSeconds(61);
    expect((await assistant.redeem(code)).body.error).toBe('invalid_grant');
  });

  test('takes the secret of a client that has one, in body or header', async () => {
    const assistant = await signedIn({ token_endpoint_auth_method: 'client_secret_post' });
    const code = await codeFor(assistant);
    const wrong = await assistant.redeem(code, { client_secret: 'wrong' });
    expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await assistant.redeem(code)).status).toBe(200);
  });

  test('an unknown client is 401 invalid_client, so that it registers anew', async () => {
    const assistant = await signedIn();
    for (const id of ['client_gone', 'client_\0']) {
      assistant.clientId = id;
      expect(await assistant.redeem('x'.repeat(43))).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    }
  });

  test.each(['password', 'client_credentials', 'urn:ietf:params:oauth:grant-type:device_code'])(
    'there is no grant %s',
    async (grant) => {
      const { status, body } = await (await signedIn()).token({ grant_type: grant });
      expect(status).toBe(400);
      expect(body.error).toBe('unsupported_grant_type');
    },
  );

  test('a body that is no form is refused', async () => {
    const reply = await app.stranger.post('/oauth/token', { grant_type: 'authorization_code' });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toBe('invalid_request');
  });
});

describe('a refresh token', () => {
  async function tokens() {
    const assistant = await signedIn();
    return { assistant, first: (await assistant.redeem(await codeFor(assistant))).body };
  }

  test('is replaced with each use; the old one works for two minutes more, and both answers stay good', async () => {
    const { assistant, first } = await tokens();
    const [one, two] = await Promise.all([
      assistant.refresh(first.refresh_token),
      assistant.refresh(first.refresh_token),
    ]);
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(new Set([first.refresh_token, one.body.refresh_token, two.body.refresh_token]).size).toBe(3);
    app.clock.advanceSeconds(119);
    const late = await assistant.refresh(first.refresh_token);
    expect(late.status).toBe(200);
    for (const { body } of [one, two, late]) expect(await catalog(body.access_token)).toBe(200);
    expect(await catalog(first.access_token)).toBe(200);
  });

  test('used after that it ends the connection: somebody has stolen it', async () => {
    const { assistant, first } = await tokens();
    const { body } = await assistant.refresh(first.refresh_token);
    // Its first use counts: uses within the leeway don't prolong it.
    app.clock.advanceSeconds(100);
    await assistant.refresh(first.refresh_token);
    app.clock.advanceSeconds(21);
    expect(await assistant.refresh(first.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect(await catalog(body.access_token)).toBe(401);
    expect((await assistant.refresh(body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('may ask for less, never for more', async () => {
    const assistant = await signedIn();
    const { body: first } = await assistant.redeem(await codeFor(assistant, { scope: 'catalog' }));
    const more = await assistant.refresh(first.refresh_token, { scope: 'catalog payment_links' });
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
  });

  test('is its client’s alone, and ends after 30 days of rest', async () => {
    const { assistant, first } = await tokens();
    const other = await signedIn();
    expect((await other.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    app.clock.advanceSeconds(30 * 24 * 3600 + 1);
    expect((await assistant.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe.runIf(onPostgres)('two processes on one database', () => {
  test('redeem a code once between them, and both lose the connection (RFC 6749, 10.5)', async () => {
    const other = await openTestApp({
      watch: false,
      database: { ...app.database, drop: async () => {} },
      clock: app.clock,
    });
    try {
      for (let round = 0; round < 5; round++) {
        const assistant = await signedIn();
        const code = await codeFor(assistant);
        const answers = await Promise.all([assistant.redeem(code), assistant.at(other).redeem(code)]);
        const statuses = answers.map(({ status }) => status).toSorted();
        expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
        expect(statuses).toContain(400);
        for (const { status, body } of answers) if (status === 200) expect(await catalog(body.access_token)).toBe(401);
      }
    } finally {
      await other.close();
    }
  });

  test('begin here, agree there, redeem here: cookies and artifacts are the same', async () => {
    const other = await openTestApp({
      watch: false,
      database: { ...app.database, drop: async () => {} },
      clock: app.clock,
    });
    try {
      const assistant = await signedIn();
      const begun = await assistant.authorize();
      assistant.moveTo(other);
      const url = await assistant.answer(begun.headers.location!, allow());
      assistant.moveTo(app);
      const { body } = await assistant.redeem(url.searchParams.get('code')!);
      expect(await catalog(body.access_token)).toBe(200);
      const seen = await other.stranger.get('/api/v1/m/catalog', { authorization: `Bearer ${body.access_token}` });
      expect(seen.status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
