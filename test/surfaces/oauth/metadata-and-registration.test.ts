import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Logger, silentLog } from '../../../src/kernel/log.ts';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { Assistant, mcpPath } from '../../harness/oauth.ts';

let app: TestApp;
const publicUrl = 'http://127.0.0.1:3000';

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

/** From an address of its own, so that the quota of one test is not that of another. */
let host = 1;
function register(metadata: unknown, remoteAddress = `192.0.2.${host++}`) {
  return app.app.inject({
    method: 'POST',
    url: '/oauth/register',
    remoteAddress,
    headers: { 'content-type': 'application/json' },
    payload: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  });
}

describe('metadata', () => {
  test('the address that a 401 names describes the endpoint, at both paths alike (case C097)', async () => {
    const { headers } = await app.stranger.post(mcpPath, { jsonrpc: '2.0', id: 1, method: 'ping' });
    const named = /resource_metadata="([^"]+)"/.exec(headers['www-authenticate']!)![1]!;
    expect(named).toBe(`${publicUrl}/.well-known/oauth-protected-resource${mcpPath}`);
    const document = await app.stranger.get(new URL(named).pathname);
    expect(document.status).toBe(200);
    expect(document.body).toMatchObject({
      resource: `${publicUrl}${mcpPath}`,
      authorization_servers: [publicUrl],
      scopes_supported: ['catalog', 'payment_links'],
    });
    expect(document.headers['access-control-allow-origin']).toBe('*');
    expect((await app.stranger.get('/.well-known/oauth-protected-resource')).body).toEqual(document.body);
  });

  test('the server says what it can do, and its issuer is the very string that the resource names', async () => {
    const { body } = await app.stranger.get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/oauth/token`,
      registration_endpoint: `${publicUrl}/oauth/register`,
      revocation_endpoint: `${publicUrl}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
    });
    expect(body.token_endpoint_auth_methods_supported).toEqual(expect.arrayContaining(['none', 'client_secret_post']));
  });

  test('no header of a caller changes a link', async () => {
    const spoofed = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource']) {
      const plain = await app.stranger.get(path);
      expect((await app.stranger.get(path, spoofed)).body).toEqual(plain.body);
    }
    const answer = await app.app.inject({
      method: 'POST',
      url: '/oauth/register',
      headers: { 'content-type': 'application/json', ...spoofed },
      payload: JSON.stringify({ redirect_uris: ['https://client.example/cb'] }),
    });
    expect(answer.json().registration_client_uri).toMatch(/^http:\/\/127\.0\.0\.1:3000\/oauth\/register\/client_/);
    expect(answer.payload).not.toContain('evil.example');
  });

  test('web pages may ask, and other methods are told which work', async () => {
    for (const path of [
      '/oauth/token',
      '/oauth/register',
      '/oauth/revoke',
      '/.well-known/oauth-authorization-server',
    ]) {
      const preflight = await app.app.inject({
        method: 'OPTIONS',
        url: path,
        headers: { origin: 'https://x.example' },
      });
      expect(preflight.statusCode).toBe(204);
      expect(preflight.headers['access-control-allow-origin']).toBe('*');
      const put = await app.app.inject({ method: 'PUT', url: path });
      expect(put.statusCode).toBe(405);
      expect(put.json()).toMatchObject({ error: 'invalid_request' });
      expect(put.headers.allow).toContain(path.startsWith('/oauth') ? 'POST' : 'GET');
    }
  });
});

describe('registration', () => {
  // As reported of real clients (design: mcp-oauth 4.2).
  test.each([
    [
      'Claude',
      {
        client_name: 'Claude',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
        response_types: ['code'],
        scope: 'claudeai',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      },
      'web',
    ],
    [
      'ChatGPT',
      {
        client_name: 'ChatGPT',
        redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code', 'refresh_token'],
        logo_uri: null,
      },
      'web',
    ],
    [
      'Cursor',
      {
        client_name: 'Cursor',
        application_type: 'web',
        redirect_uris: [
          'cursor://anysphere.cursor-retrieval/oauth/user-org/callback',
          'cursor://anysphere.cursor-mcp/oauth/callback',
          'https://www.cursor.com/agents/mcp/oauth/callback',
        ],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
      'native',
    ],
    [
      'VS Code',
      {
        client_name: 'Visual Studio Code',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      'native',
    ],
    ['an empty name', { client_name: '', redirect_uris: ['https://app.example/callback'] }, 'web'],
    ['a name that cannot be seen', { client_name: ' \u200b', redirect_uris: ['https://app.example/callback'] }, 'web'],
    [
      'empty texts',
      { client_uri: '', token_endpoint_auth_method: '', redirect_uris: ['https://app.example/callback'] },
      'web',
    ],
    [
      'a picture that is no address',
      { logo_uri: 'data:image/png;base64,AA', contacts: 'none', redirect_uris: ['https://app.example/callback'] },
      'web',
    ],
    ['one that says nothing', { redirect_uris: ['http://localhost/callback', 'http://[::1]:5/callback'] }, 'native'],
  ])('takes %s', async (_, metadata, type) => {
    const answer = await register(metadata);
    const body = answer.json();
    expect(answer.statusCode, answer.payload).toBe(201);
    const method = (metadata as { token_endpoint_auth_method?: string }).token_endpoint_auth_method || 'none';
    expect(body).toMatchObject({
      client_id: expect.stringMatching(/^client_/),
      redirect_uris: metadata.redirect_uris,
      application_type: type,
      token_endpoint_auth_method: method,
      grant_types: ['authorization_code', 'refresh_token'],
    });
    expect('client_secret' in body).toBe(method !== 'none');
  });

  test('reads a registration to who made it, and to nobody else', async () => {
    const { registration_client_uri: uri, registration_access_token: token } = (
      await register({ redirect_uris: ['https://client.example/cb'] })
    ).json();
    const read = (bearer: string) => app.stranger.get(new URL(uri).pathname, { authorization: `Bearer ${bearer}` });
    expect((await read(token)).body).toMatchObject({ redirect_uris: ['https://client.example/cb'] });
    const refused = await read('x'.repeat(43));
    expect(refused.status).toBe(401);
    expect(refused.body.error).toBe('invalid_token');
    // It opens nothing else.
    expect((await app.stranger.get('/api/v1/m/catalog', { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test.each([
    ['no address', undefined],
    ['none at all', []],
    ['no list', 'https://client.example/cb'],
    ['too many', Array.from({ length: 21 }, (_, n) => `https://client.example/${n}`)],
    ['no text', [7]],
    ['a relative one', ['/cb']],
    ['what a browser takes for a path of ours', ['https:client.example/cb']],
    ['a blank', [' https://client.example/cb']],
    ['http to a host', ['http://client.example/cb']],
    ['http to a host that looks like this computer', ['http://127.0.0.1.client.example/cb']],
    ['a fragment', ['https://client.example/cb#x']],
    ['a user name', ['https://me@client.example/cb']],
    ['a script', ['javascript:alert(1)']],
    ['data', ['data:text/html,hello']],
    ['a file', ['file:///etc/passwd']],
    ['one good and one bad', ['https://client.example/cb', 'http://client.example/cb']],
  ])('refuses %s', async (_, redirects) => {
    const answer = await register({ redirect_uris: redirects });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ error: 'invalid_redirect_uri', error_description: expect.any(String) });
  });

  test.each([
    ['broken JSON', '{', 'invalid_client_metadata'],
    ['a list', '[]', 'invalid_client_metadata'],
    [
      'a way to sign in that is not there',
      { redirect_uris: ['https://c.example/'], token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
    ],
  ])('refuses %s', async (_, body, error) => {
    const answer = await register(body);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toBe(error);
  });

  test('calls nobody, whatever a client names', async () => {
    const { publicUrl: _unused, ...rest } = { publicUrl, redirect_uris: ['https://client.example/cb'] };
    const answer = await register({
      ...rest,
      sector_identifier_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://10.0.0.1/',
    });
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).not.toHaveProperty('jwks_uri');
  });

  test('an address may register 60 clients an hour', async () => {
    const metadata = { redirect_uris: ['https://client.example/cb'] };
    for (let count = 0; count < 60; count++) await register(metadata, '198.51.100.7');
    const answer = await register(metadata, '198.51.100.7');
    expect(answer.statusCode).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await register(metadata, '198.51.100.8')).statusCode).toBe(201);
    app.clock.advanceSeconds(3601);
    expect((await register(metadata, '198.51.100.7')).statusCode).toBe(201);
  });

  test('a body that breaks off is no fault of the service', async () => {
    const error = vi.fn();
    const served = await openTestApp({ watch: false, log: { ...silentLog, error } as Logger });
    await served.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = served.app.server.address() as AddressInfo;
    const over = new Promise((resolve) => {
      served.app.server.once('request', (request) =>
        request.once('data', () => socket.destroy()).once('close', resolve),
      );
    });
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('POST /oauth/register HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"redirect_uris"'),
    );
    await over;
    await served.close();
    expect(error).not.toHaveBeenCalled();
  });

  test('a body of more than 64 kB is 413', async () => {
    const answer = await register({ client_name: 'x'.repeat(70_000), redirect_uris: [] });
    expect(answer.statusCode).toBe(413);
    expect(answer.json()).toEqual({
      error: 'invalid_request',
      error_description: 'The body is larger than 64 KiB',
    });
  });

  test('a name is shown as text, without what turns it around', async () => {
    const assistant = new Assistant(app);
    const { body } = await assistant.register({ client_name: '  <b>Your\u202e Bank</b>\u0000 \n ' });
    expect(body.client_name).toBe('<b>Your Bank</b>');
  });
});
