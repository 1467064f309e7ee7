import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../../src/app.ts';
import { sweepOnce } from '../../../src/jobs/sweep.ts';
import { languages } from '../../../src/surfaces/pages/language.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { addUser } from '../../harness/people.ts';
import { Visitor } from '../../harness/visitor.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const newVisitor = (cookie?: string) => new Visitor(app.app, cookie);
const isSignedIn = async (cookie: string | undefined) => (await newVisitor(cookie).get('/account')).status === 200;

async function signedIn() {
  const user = await addUser(app, [merchant]);
  const visitor = newVisitor();
  expect((await visitor.signIn(user)).status).toBe(303);
  return { user, visitor };
}

describe('signing in', () => {
  test('leads to the account, with a cookie that scripts cannot read and a hash in the table', async () => {
    const user = await addUser(app, [merchant], 'cashier');
    const visitor = newVisitor();
    const { status, headers } = await visitor.signIn({ ...user, email: ` ${user.email.toUpperCase()} ` });
    expect([status, headers.location]).toEqual([303, '/account']);
    expect(headers['set-cookie']).toMatch(/^satline_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const { html } = await visitor.get('/account');
    for (const text of [user.email, 'Test Shop', 'Cashier', 'This one']) expect(html).toContain(text);
    const token = visitor.cookie!.split('=')[1]!;
    const rows = await app.rows('select *, encode(token_hash, $1) as text from user_sessions', ['base64']);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('says the same, in content and status, of a wrong password and of an unknown address', async () => {
    const user = await addUser(app, [merchant]);
    const wrong = await newVisitor().signIn({ email: user.email, password: 'wrong' });
    const unknown = await newVisitor().signIn({ email: 'nobody@example.com', password: 'wrong' });
    const plain = ({ html }: typeof wrong, email: string) =>
      html.replaceAll(email, 'E').replaceAll(/nonce="[^"]+"/g, '');
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(plain(wrong, user.email)).toBe(plain(unknown, 'nobody@example.com'));
    expect(wrong.headers['set-cookie']).toBeUndefined();
    expect(wrong.headers['www-authenticate']).toBeUndefined();
  });

  test('takes as long for an unknown address as for a wrong password', async () => {
    app.clock.advanceSeconds(61);
    const users = await Promise.all(Array.from({ length: 4 }, () => addUser(app, [merchant])));
    const cpuMicros: Record<'wrong' | 'unknown', number[]> = { wrong: [], unknown: [] };
    for (let i = 0; i < 16; i++) {
      for (const kind of ['wrong', 'unknown'] as const) {
        const email = kind === 'wrong' ? users[i % 4]!.email : `nobody-${i}@example.com`;
        const before = process.cpuUsage();
        expect((await newVisitor().signIn({ email, password: 'guess' })).status).toBe(401);
        const { user, system } = process.cpuUsage(before);
        cpuMicros[kind].push(user + system);
      }
    }
    // The least of each, of all threads, since whatever else happens can only add; without the hashing it would be a tenth.
    const ratio = Math.min(...cpuMicros.wrong) / Math.min(...cpuMicros.unknown);
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.67);
    app.clock.advanceSeconds(61);
  });

  test('needs both, and takes neither twice nor in other shapes', async () => {
    for (const form of [
      '',
      'email=%00&password=x',
      'email=a%00%40b.co&password=x',
      'email=a%40b.co',
      'password=x',
      'email=a&email=b&password=x',
      'email[a]=b&password=c',
    ]) {
      const { statusCode } = await app.app.inject({
        method: 'POST',
        url: '/sign-in',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
        payload: form,
      });
      expect([form, statusCode]).toEqual([form, 400]);
    }
    expect((await newVisitor().signIn({ email: 'a@b.co', password: 'x'.repeat(1001) })).status).toBe(401);
    expect((await newVisitor().submit('/sign-in', { email: 'x'.repeat(20_000) })).status).toBe(413);
  });

  test('a locked account is told to who knows the password; the form says when to come back', async () => {
    const { user, visitor } = await signedIn();
    for (let i = 0; i < 5; i++) expect((await newVisitor().signIn({ ...user, password: 'no' })).status).toBe(401);
    const locked = await newVisitor().signIn(user);
    expect(locked.status).toBe(423);
    expect(locked.html).toContain('Try again in 15 minutes');
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(800);
    // Open sessions go on.
    expect((await visitor.get('/account')).status).toBe(200);
    app.clock.advanceSeconds(901);
  });

  test('counts the tries of an account together, whatever door and address they claim', async () => {
    const user = await addUser(app, [merchant]);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}`, forwarded: `for=203.0.113.${i}` };
      const tried =
        i % 2 === 0
          ? await newVisitor().submit('/sign-in', { email: user.email, password: 'guess' }, headers)
          : await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: 'guess' }, headers);
      statuses.push(tried.status);
    }
    expect(statuses.slice(10)).toEqual([429, 429]);
    app.clock.advanceSeconds(901);
  });

  test.each(languages)('speaks %s', async (language) => {
    const { html, headers } = await newVisitor().get(`/sign-in?locale=${language}&return_to=%2Faccount`);
    expect(html).toContain(`<html lang="${language}"`);
    expect(html).toContain(`action="/sign-in?return_to=%2Faccount&amp;locale=${language}"`);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['cache-control']).toBe('no-store');
    const failed = await newVisitor().submit(`/sign-in?locale=${language}`, { email: 'a@b.co', password: 'x' });
    expect(failed.html).toContain(`<html lang="${language}"`);
    app.clock.advanceSeconds(61);
  });
});

test('who chose a language goes on in it, by every link and form, until signed out', async () => {
  const user = await addUser(app, [merchant]);
  const visitor = newVisitor();
  const elsewhere = newVisitor();
  await elsewhere.signIn(user);
  const addressesOf = (html: string) =>
    [...html.matchAll(/ (?:href|action|formaction)="(\/[^"]*)"/g)].map(([, address]) =>
      address!.replaceAll('&amp;', '&'),
    );
  const expectAll = async (url: string) => {
    const { html } = await visitor.get(url);
    expect(html).toContain('<html lang="de"');
    const addresses = addressesOf(html);
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toContain('locale=de');
    return addresses;
  };

  await expectAll('/sign-in?locale=de');
  await expectAll('/forgotten-password?locale=de');
  const asked = await visitor.get('/account?locale=de');
  expect(asked.headers.location).toBe('/sign-in?return_to=%2Faccount%3Flocale%3Dde&locale=de');
  const { headers } = await visitor.signIn(user, '/sign-in?locale=de');
  expect(headers.location).toBe('/account?locale=de');
  const onAccount = await expectAll(headers.location!);
  await expectAll('/account/second-factor?locale=de');
  const end = onAccount.find((address) => address.includes('/sign-ins/'))!;
  expect((await visitor.submit(end)).headers.location).toBe('/account?locale=de');
  expect((await visitor.submit('/sign-out?locale=de')).headers.location).toBe('/sign-in?locale=de');
  expect((await visitor.submit('/sign-out?locale=nonsense')).headers.location).toBe('/sign-in');
});

describe('going back to where one came from', () => {
  let known: Visitor;
  beforeAll(async () => {
    known = (await signedIn()).visitor;
  });

  test('a page that needs somebody names itself, and is reached after signing in', async () => {
    const user = await addUser(app, [merchant]);
    const visitor = newVisitor();
    const asked = await visitor.get('/account?x=1&y=%2F');
    expect([asked.status, asked.headers.location]).toEqual([303, '/sign-in?return_to=%2Faccount%3Fx%3D1%26y%3D%252F']);
    expect((await visitor.signIn(user, asked.headers.location)).headers.location).toBe('/account?x=1&y=%2F');
    expect((await visitor.get('/sign-in?return_to=%2Fdocs')).headers.location).toBe('/docs');
  });

  test.each([
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/a\\b',
    'https://evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\n//evil.example',
    ' //evil.example',
    '/\u0000/evil.example',
    '/account\r\nset-cookie: a=b',
    '/ü',
    '',
    `/${'x'.repeat(5000)}`,
  ])('nobody is led away by %j', async (returnTo) => {
    const address = `/sign-in?return_to=${encodeURIComponent(returnTo)}`;
    const page = await newVisitor().get(address);
    expect(page.html).toContain('action="/sign-in"');
    expect(page.html).not.toContain('evil');
    expect((await known.get(address)).headers.location).toBe('/account');
  });

  test('nor by one that is sent twice', async () => {
    expect((await known.get('/sign-in?return_to=/docs&return_to=/docs')).headers.location).toBe('/account');
  });
});

describe('a cookie', () => {
  test('is new with every sign-in: one that was planted before is worth nothing after', async () => {
    const user = await addUser(app, [merchant]);
    const planted = `satline_session=${'A'.repeat(43)}`;
    const visitor = newVisitor(planted);
    await visitor.signIn(user);
    expect(visitor.cookie).not.toBe(planted);
    expect(await isSignedIn(planted)).toBe(false);
    // Signed in again, the browser’s earlier session is over too: whoever saw it has nothing.
    const first = visitor.cookie;
    await visitor.signIn(await addUser(app, [merchant]));
    expect(visitor.cookie).not.toBe(first);
    expect([await isSignedIn(first), await isSignedIn(visitor.cookie)]).toEqual([false, true]);
  });

  test('stolen before a sign-out, opens nothing afterwards', async () => {
    const { visitor } = await signedIn();
    const stolen = visitor.cookie;
    const out = await visitor.submit('/sign-out');
    expect([out.status, out.headers.location, visitor.cookie]).toEqual([303, '/sign-in', undefined]);
    expect(await isSignedIn(stolen)).toBe(false);
  });

  test('ends after two hours without use, and after a day in any case', async () => {
    const { user, visitor } = await signedIn();
    for (let hour = 0; hour < 23; hour++) {
      app.clock.advanceSeconds(3600);
      expect((await visitor.get('/account')).status).toBe(200);
    }
    app.clock.advanceSeconds(3601);
    expect((await visitor.get('/account')).status).toBe(303);
    await visitor.signIn(user);
    app.clock.advanceSeconds(7201);
    expect((await visitor.get('/account')).status).toBe(303);
    app.clock.advanceSeconds(3 * 24 * 3600);
    await sweepOnce(app.parts);
    expect(await app.rows('select id from user_sessions where user_id = $1', [user.id])).toEqual([]);
  });

  test('is no session token of the API, nor the other way round', async () => {
    const { user, visitor } = await signedIn();
    const { body } = await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: user.password });
    expect(await isSignedIn(`satline_session=${body.session_token}`)).toBe(false);
    const activation = { session_token: visitor.cookie!.split('=')[1], merchant_id: merchant.id, livemode: false };
    expect((await app.stranger.post('/api/v1/m/sessions/activate', activation)).status).toBe(401);
  });

  test('of nonsense is as good as none', async () => {
    for (const value of ['', 'x', '%', '"', `${'a'.repeat(43)}`, 'a'.repeat(5000), '../../etc']) {
      const { status } = await newVisitor(`satline_session=${value}`).get('/account');
      expect([value, status]).toEqual([value, 303]);
    }
  });

  test('of somebody who was taken away opens nothing; without a place there is nothing to see', async () => {
    const { user, visitor } = await signedIn();
    await app.rows('delete from memberships where user_id = $1', [user.id]);
    expect((await visitor.get('/account')).html).toContain('You have no place at a merchant');
    await app.rows('delete from users where id = $1', [user.id]);
    expect((await visitor.get('/account')).status).toBe(303);
  });

  test('of a suspended merchant’s people shows how the merchant stands', async () => {
    const shop = await app.newMerchant();
    const visitor = newVisitor();
    await visitor.signIn(await addUser(app, [shop], 'accountant'));
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [shop.id]);
    const { status, html } = await visitor.get('/account');
    expect([status, html.includes('Suspended')]).toEqual([200, true]);
  });
});

describe('what other sites make a browser send', () => {
  test.each<[what: string, headers: Record<string, string>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring host', { 'sec-fetch-site': 'same-site' }],
    ['from another origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['with two stories', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }],
    ['from a sandbox', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['from nowhere', { 'sec-fetch-site': '' }],
    ['from no origin', { 'sec-fetch-site': '', origin: 'null' }],
    ['from an origin that is none', { 'sec-fetch-site': '', origin: 'localhost:80' }],
  ])('%s is refused, at every form', async (_what, headers) => {
    const { user, visitor } = await signedIn();
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    const paths = ['/sign-in', '/sign-out', '/account/sign-out-everywhere', `/account/sign-ins/${user.id}/end`];
    for (const url of paths) {
      const answer = await app.app.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: visitor.cookie!, ...sent },
        payload: new URLSearchParams({ email: user.email, password: user.password }).toString(),
      });
      expect([url, answer.statusCode, answer.headers['set-cookie']]).toEqual([url, 403, undefined]);
      expect(answer.payload).toContain('not sent from a page of this service');
    }
    expect((await visitor.get('/account')).status).toBe(200);
  });

  test('while a browser that tells only its origin is let in', async () => {
    const user = await addUser(app, [merchant]);
    for (const origin of ['http://localhost:80', 'http://localhost', 'http://127.0.0.1:3000']) {
      const answer = await app.app.inject({
        method: 'POST',
        url: '/sign-in',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin, host: 'localhost' },
        payload: new URLSearchParams({ email: user.email, password: user.password }).toString(),
      });
      expect([origin, answer.statusCode]).toEqual([origin, 303]);
    }
  });

  test('JSON, text and other methods get no further', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const sent = (type: string) =>
      app.app.inject({
        method: 'POST',
        url: '/sign-in',
        headers: { ...headers, 'content-type': type },
        payload: 'a=b',
      });
    expect((await sent('text/plain')).statusCode).toBe(415);
    expect((await sent('application/json')).statusCode).toBe(400);
    const put = await app.app.inject({ method: 'PUT', url: '/sign-in' });
    expect([put.statusCode, put.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect((await app.app.inject({ method: 'GET', url: '/sign-out' })).statusCode).toBe(405);
  });
});

describe('one’s sign-ins', () => {
  test('are listed by browser, and ended one by one; not those of others', async () => {
    const { user, visitor } = await signedIn();
    const phone = newVisitor();
    const agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Safari/604.1';
    await phone.submit('/sign-in', { email: user.email, password: user.password }, { 'user-agent': agent });
    const { html } = await visitor.get('/account');
    expect(html).toContain('Safari, iOS');
    const end = /\/account\/sign-ins\/[0-9a-f-]{36}\/end/.exec(html)![0];
    const { visitor: other } = await signedIn();
    await other.submit(end);
    expect(await isSignedIn(phone.cookie)).toBe(true);
    expect((await visitor.submit(end)).headers.location).toBe('/account');
    expect([await isSignedIn(phone.cookie), await isSignedIn(visitor.cookie)]).toEqual([false, true]);
    expect((await visitor.submit('/account/sign-ins/nonsense/end')).status).toBe(303);
  });

  test('all end at once, and the keys of devices with them', async () => {
    const { user, visitor } = await signedIn();
    const other = newVisitor();
    await other.signIn(user);
    const { body } = await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: user.password });
    const activation = { session_token: body.session_token, merchant_id: merchant.id, livemode: false };
    const activated = await app.stranger.post('/api/v1/m/sessions/activate', activation);
    const asDevice = () =>
      app.stranger.get('/api/v1/m/merchant', { authorization: `Bearer ${activated.body.api_key}` });
    expect((await asDevice()).status).toBe(200);
    const cookie = visitor.cookie;
    await visitor.submit('/account/sign-out-everywhere');
    expect([await isSignedIn(cookie), await isSignedIn(other.cookie)]).toEqual([false, false]);
    expect((await asDevice()).status).toBe(401);
    expect((await app.stranger.post('/api/v1/m/sessions/activate', activation)).status).toBe(401);
  });
});

describe('behind https', () => {
  test('the cookie is bound to it and to the host', async () => {
    const links = { publicUrl: 'https://pay.example.com', payUrl: 'https://pay.example.com' };
    const outside = await buildApp({ ...app.parts, links });
    const user = await addUser(app, [merchant]);
    const visitor = new Visitor(outside);
    const { headers } = await visitor.signIn(user);
    expect(headers['set-cookie']).toMatch(
      /^__Host-satline_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect((await visitor.get('/account')).status).toBe(200);
    const plainName = new Visitor(outside, visitor.cookie!.replace('__Host-', ''));
    expect((await plainName.get('/account')).status).toBe(303);
    await outside.close();
  });

  test.each([
    ['http://pay.example.com', 'pay.example.com'],
    ['http://192.168.1.7:3000', '192.168.1.7:3000'],
    // Reached over the network, whatever PUBLIC_URL says.
    ['http://127.0.0.1:3000', '192.168.1.7:3000'],
  ])('only: at %s, reached as %s, nobody can sign in', async (publicUrl, host) => {
    const outside = await buildApp({ ...app.parts, links: { publicUrl, payUrl: publicUrl } });
    const user = await addUser(app, [merchant]);
    const page = await new Visitor(outside).get('/sign-in', { host });
    expect(page.status).toBe(403);
    expect(page.html).toContain('secure connection (https)');
    const form = { email: user.email, password: user.password };
    const sent = await new Visitor(outside).submit('/sign-in', form, { host });
    expect([sent.status, sent.headers['set-cookie']]).toEqual([403, undefined]);
    await outside.close();
  });

  test('addresses of callers come from named proxies only', async () => {
    const trusting = await buildApp(app.parts, { trustProxy: ['127.0.0.1'] });
    const attempt = async (server: typeof trusting, remoteAddress: string, forwarded: string) => {
      const { statusCode } = await server.inject({
        method: 'POST',
        url: '/sign-in',
        remoteAddress,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
          'x-forwarded-for': forwarded,
        },
        payload: new URLSearchParams({ email: `${Math.random()}@example.com`, password: 'x' }).toString(),
      });
      return statusCode;
    };
    app.clock.advanceSeconds(61);
    for (let i = 0; i < 60; i++) await app.parts.signInTries.byAddress.take('198.51.100.7', app.clock.now());
    // The proxy tells of the caller; what the caller put in front counts for nothing.
    expect(await attempt(trusting, '127.0.0.1', '198.51.100.7')).toBe(429);
    expect(await attempt(trusting, '127.0.0.1', '203.0.113.1, 198.51.100.7')).toBe(429);
    expect(await attempt(trusting, '198.51.100.7', '203.0.113.1')).toBe(429);
    expect(await attempt(trusting, '127.0.0.1', '203.0.113.2')).toBe(401);
    // Without a named proxy the peer is who calls.
    expect(await attempt(app.app, '198.51.100.7', '203.0.113.3')).toBe(429);
    await trusting.close();
  });
});
