import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inviteUser } from '../../../src/flows/invite-user.ts';
import { givePasswordLink } from '../../../src/flows/new-password.ts';
import { queueLetter } from '../../../src/flows/queue-mail.ts';
import { resetSecondFactor } from '../../../src/flows/second-factor.ts';
import { sendDueMails } from '../../../src/jobs/send-mails.ts';
import { sweepOnce } from '../../../src/jobs/sweep.ts';
import type { Role } from '../../../src/model/user.ts';
import { languages } from '../../../src/surfaces/pages/language.ts';
import { secondFactorOffLetter } from '../../../src/surfaces/people/words.ts';
import { invitationLetter, passwordLetter } from '../../../src/surfaces/user-links/words.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { Client } from '../../harness/client.ts';
import { addUser } from '../../harness/people.ts';
import { turnOnSecondFactor } from '../../harness/second-factor.ts';
import { Visitor } from '../../harness/visitor.ts';
import { SmtpServer } from '../../support/smtp-server.ts';

const logged: string[] = [];
const good = 'seven otters rowing home';
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

let server: SmtpServer;
let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  server = await SmtpServer.start();
  app = await openTestApp({
    watch: false,
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    env: { SMTP_URL: server.url, MAIL_FROM: 'Satline <people@satline.example>' },
  });
});
beforeEach(async () => {
  // Whoever asked within the last hour is forgotten.
  app.clock.advanceSeconds(3601);
  await app.rows('delete from mails');
  server.messages.length = 0;
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

const open = (url: string, headers: Record<string, string> = {}) =>
  app.app.inject({ method: 'GET', url: new URL(url, 'http://127.0.0.1').pathname, headers });
const send = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.app.inject({
    method: 'POST',
    url: new URL(url, 'http://127.0.0.1').pathname,
    headers: { ...form, ...headers },
    payload: new URLSearchParams(fields).toString(),
  });
const choose = (url: string, password: string, repeat = password) => send(url, { password, repeat });
const signIn = (email: string, password: string) => app.stranger.post('/api/v1/m/sessions', { email, password });
const tokenIn = (url: string) => url.split('/').at(-1)!;

let count = 0;
async function invite(role: Role = 'cashier', email = `invited-${++count}@example.com`, shop = merchant) {
  const invitation = { email, name: null, merchantId: shop.id, role, now: app.clock.now() };
  const { userId, link } = await app.parts.db.transaction((tx) => inviteUser(tx, app.parts, invitation));
  return { userId, email, url: link.url.reveal() };
}

async function passwordLink(userId: string): Promise<string> {
  const give = app.parts.db.transaction((tx) => givePasswordLink(tx, app.parts, userId, app.clock.now()));
  return (await give).url.reveal();
}

async function activate(user: { email: string; password: string }) {
  const { body } = await signIn(user.email, user.password);
  const activation = { session_token: body.session_token, merchant_id: merchant.id, livemode: false };
  const { body: device } = await app.stranger.post('/api/v1/m/sessions/activate', activation);
  return { session: body.session_token as string, device: new Client(app.app, device.api_key, undefined) };
}

/** The texts that were sent, transfer encoding undone. */
async function sentTexts(): Promise<string[]> {
  while ((await sendDueMails(app.parts)) > 0);
  return server.messages.map((message) => {
    const [head = '', ...rest] = message.split('\r\n\r\n');
    const body = rest.join('\r\n\r\n');
    if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
    const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => `%${hex}`);
    return decodeURIComponent(bytes.replace(/%(?![0-9A-F]{2})/g, '%25'));
  });
}

describe('an invitation', () => {
  test('gives a new account its password and its place, once', async () => {
    const { email, url } = await invite('cashier');
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/invitation\/[\w-]{43}$/);
    expect((await signIn(email, good)).status).toBe(401);
    const page = await open(url);
    expect(page.statusCode).toBe(200);
    for (const words of ['Test Shop invites you to join as cashier', email, 'autocomplete="new-password"'])
      expect(page.body).toContain(words);
    // Looking is free: mail servers do it too.
    expect((await open(url)).statusCode).toBe(200);

    expect((await choose(url, good)).body).toContain('You are in');
    const { status, body } = await signIn(email, good);
    expect([status, body.merchants]).toMatchObject([200, [{ id: merchant.id, role: 'cashier' }]]);
    for (const again of [await open(url), await choose(url, 'another good password')]) {
      expect(again.statusCode).toBe(404);
      expect(again.body).toContain('This link no longer works');
    }
    const log = await merchant.test.get('/api/v1/m/audit_log');
    expect(log.body.data[0]).toMatchObject({ action: 'accept_invitation', actor: 'user', livemode: false });
  });

  test('never opens an account that has a password: that one is kept', async () => {
    const elsewhere = await app.newMerchant();
    const user = await addUser(app, [elsewhere], 'owner');
    app.clock.advanceSeconds(1);
    const { url } = await invite('manager', user.email.toUpperCase());
    const page = await open(url);
    expect(page.body).not.toContain('type="password"');
    expect(page.body).toContain(user.email);
    expect((await choose(url, good)).statusCode).toBe(200);
    expect((await signIn(user.email, good)).status).toBe(401);
    expect((await signIn(user.email, user.password)).body.merchants).toMatchObject([
      { id: elsewhere.id, role: 'owner' },
      { id: merchant.id, role: 'manager' },
    ]);
  });

  test('is over after a week, and when a newer one is sent', async () => {
    const first = await invite();
    const second = await invite('owner', first.email);
    expect((await open(first.url)).statusCode).toBe(404);
    expect((await open(second.url)).statusCode).toBe(200);
    app.clock.advanceSeconds(7 * 24 * 3600);
    expect((await open(second.url)).statusCode).toBe(404);
    await expect(invite('owner', (await addUser(app, [merchant])).email)).rejects.toThrow(/owner at Test Shop already/);
  });

  test('to two merchants: the second asks for no password once the first has set one', async () => {
    const other = await app.newMerchant();
    const one = await invite();
    const two = await invite('accountant', one.email, other);
    // Both pages were opened before.
    const late = await Promise.all([choose(one.url, good), choose(two.url, 'a second good password')]);
    expect(late.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
    const left = late[0]!.statusCode === 409 ? one : two;
    expect((await open(left.url)).body).not.toContain('type="password"');
    expect((await send(left.url, {})).statusCode).toBe(200);
  });

  test.each([
    ['short', 'eleven char', undefined, 'at least 12 characters'],
    ['long', 'ab cd ef '.repeat(30), undefined, 'at most 200 characters'],
    ['guessable', '121212121212', undefined, 'too easy to guess'],
    ['mistyped', good, `${good}!`, 'not the same password'],
    ['missing', '', undefined, 'at least 12 characters'],
  ])('refuses a password that is %s, and stays open', async (_, password, repeat, words) => {
    const { url, email } = await invite();
    const reply = await choose(url, password, repeat);
    expect([reply.statusCode, reply.body.includes(words)]).toEqual([422, true]);
    expect(reply.body).toContain('aria-invalid="true"');
    if (password) expect(reply.body).not.toContain(password);
    expect((await choose(url, email)).body).toContain('too easy to guess');
    expect((await choose(url, good)).statusCode).toBe(200);
  });
});

describe('a link for a new password', () => {
  test('sets it, signs everybody out, ends the other links, and tells the owner', async () => {
    const user = await addUser(app, [merchant]);
    const { session, device } = await activate(user);
    expect((await device.get('/api/v1/m/merchant')).status).toBe(200);
    for (let i = 0; i < 5; i++) await signIn(user.email, 'wrong');
    const before = await passwordLink(user.id);
    const url = await passwordLink(user.id);
    expect((await open(before)).statusCode).toBe(404);
    expect((await open(url)).body).toContain(user.email);
    expect((await choose(url, good)).body).toContain('Your new password is set');

    expect((await signIn(user.email, user.password)).status).toBe(401);
    // The lock of the wrong tries has gone with the old password.
    expect((await signIn(user.email, good)).status).toBe(200);
    const revoked = await device.get('/api/v1/m/merchant');
    expect([revoked.status, revoked.body.error.code]).toEqual([401, 'revoked_token']);
    const activation = { session_token: session, merchant_id: merchant.id, livemode: false };
    expect((await app.stranger.post('/api/v1/m/sessions/activate', activation)).status).toBe(401);
    expect((await open(url)).statusCode).toBe(404);
    expect((await merchant.test.get('/api/v1/m/audit_log')).body.data[0]).toMatchObject({
      action: 'set_password',
      actor: 'user',
      user_id: user.id,
    });
    expect(await sentTexts()).toEqual([expect.stringContaining('you were signed out everywhere')]);
  });

  test('works once, however many send it at once', async () => {
    const user = await addUser(app, [merchant]);
    const url = await passwordLink(user.id);
    const passwords = ['first good password', 'second good password', 'third good password'];
    const replies = await Promise.all(passwords.map((password) => choose(url, password)));
    expect(replies.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409, 409]);
    const winner = passwords[replies.findIndex(({ statusCode }) => statusCode === 200)]!;
    expect((await signIn(user.email, winner)).status).toBe(200);
  });

  test('is no invitation, and the other way round', async () => {
    const user = await addUser(app, [merchant]);
    const link = tokenIn(await passwordLink(user.id));
    const invitation = tokenIn((await invite()).url);
    for (const path of [`/invitation/${link}`, `/new-password/${invitation}`])
      expect((await choose(path, good)).statusCode).toBe(404);
  });

  test.each(['x', 'a'.repeat(43), '%00', '..%2f..', 'a'.repeat(5000)])('that nobody made is 404: %s', async (token) => {
    for (const path of ['new-password', 'invitation']) {
      expect((await open(`/${path}/${token}`)).statusCode).toBe(404);
      expect((await choose(`/${path}/${token}`, good)).statusCode).toBe(404);
    }
  });
});

describe('a forgotten password', () => {
  const ask = (email: string, address = '203.0.113.1', headers: Record<string, string> = {}) =>
    app.app.inject({
      method: 'POST',
      url: '/forgotten-password',
      headers: { ...form, ...headers },
      remoteAddress: address,
      payload: new URLSearchParams({ email }).toString(),
    });

  test('brings a link to the address as the account has it', async () => {
    const user = await addUser(app, [merchant]);
    const reply = await ask(` ${user.email.toUpperCase()} `);
    expect([reply.statusCode, reply.body.includes('a link is on its way')]).toEqual([200, true]);
    const [text] = await sentTexts();
    expect(server.messages[0]).toContain(`To: ${user.email}\r\n`);
    const url = /http:\S+/.exec(text!)![0];
    expect(url).toMatch(/\/new-password\/[\w-]{43}$/);
    expect((await choose(url, good)).statusCode).toBe(200);
    expect((await signIn(user.email, good)).status).toBe(200);
  });

  test('answers and writes the same for an address that nobody has', async () => {
    const user = await addUser(app, [merchant]);
    const known = await ask(user.email);
    const unknown = await ask('nobody@example.com');
    const plain = ({ body }: typeof known) =>
      body
        .replaceAll(user.email, 'X')
        .replaceAll('nobody@example.com', 'X')
        .replace(/nonce(-|=")[^'"]+/g, 'nonce');
    expect([unknown.statusCode, plain(unknown)]).toEqual([known.statusCode, plain(known)]);
    const rows = await app.rows('select state, tries, octet_length(sealed) > 0 as sealed, merchant_id from mails');
    expect(rows).toEqual(Array(2).fill({ state: 'waiting', tries: 0, sealed: true, merchant_id: null }));
    expect(await sentTexts()).toHaveLength(1);
    // The same number of tries, whoever asks.
    for (let i = 0; i < 2; i++) for (const email of [user.email, 'nobody@example.com']) await ask(email);
    const over = [await ask(user.email), await ask('nobody@example.com')];
    expect(over.map(({ statusCode }) => statusCode)).toEqual([429, 429]);
    expect(Number(over[0]!.headers['retry-after'])).toBeGreaterThan(3000);
  });

  test('is asked for twenty times an hour from one network, whatever the addresses', async () => {
    const statuses = [];
    for (let i = 0; i < 21; i++) {
      const header = { 'x-forwarded-for': `198.51.100.${i}` };
      statuses.push((await ask(`stranger-${i}@example.com`, `2001:db8::${i + 1}`, header)).statusCode);
    }
    expect(statuses).toEqual([...Array(20).fill(200), 429]);
    expect((await ask('stranger-99@example.com', '2001:db8:1::1')).statusCode).toBe(200);
  });

  test('sends one and the same link when the mail server is asked twice; a newer one ends it', async () => {
    const user = await addUser(app, [merchant]);
    await ask(user.email);
    server.verdict = 'later';
    await sendDueMails(app.parts);
    const [before] = await app.rows('select token_hash from user_links where user_id = $1 and ended_at is null', [
      user.id,
    ]);
    server.verdict = 'takes';
    app.clock.advanceSeconds(60);
    const [text] = await sentTexts();
    const after = await app.rows('select token_hash from user_links where user_id = $1 and ended_at is null', [
      user.id,
    ]);
    expect(after).toEqual([before]);
    expect((await open(/http:\S+/.exec(text!)![0])).statusCode).toBe(200);
    await ask(user.email);
    const texts = await sentTexts();
    expect(texts).toHaveLength(2);
    expect((await open(/http:\S+/.exec(text!)![0])).statusCode).toBe(404);
    expect((await open(/http:\S+/.exec(texts[1]!)![0])).statusCode).toBe(200);
    app.clock.advanceSeconds(3600);
    expect((await open(/http:\S+/.exec(texts[1]!)![0])).statusCode).toBe(404);
  });

  test('needs an address that can be one', async () => {
    for (const email of ['', 'ada', 'ada@', `${'a'.repeat(300)}@example.com`, 'a@b.co\r\nBcc: c@d.eu'])
      expect((await ask(email)).statusCode).toBe(422);
    expect(await app.rows('select 1 from mails')).toEqual([]);
  });

  test('is the operator’s to help with where no mails are sent', async () => {
    const silent = await openTestApp({ watch: false });
    try {
      const page = await silent.app.inject({ method: 'GET', url: '/forgotten-password' });
      expect(page.body).toContain('This service sends no e-mails');
      expect(page.body).not.toContain('<form method="post"');
    } finally {
      await silent.close();
    }
  });
});

describe('the pages', () => {
  test('tell nobody else the address they are at, run no script, and are never kept', async () => {
    const { url } = await invite();
    for (const page of [await open(url), await open('/forgotten-password'), await open('/new-password/unknown')]) {
      expect(page.headers).toMatchObject({ 'referrer-policy': 'same-origin', 'cache-control': 'no-store' });
      expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(page.body).not.toContain('<script');
      expect(page.body).toContain('<meta name="robots" content="noindex"');
    }
  });

  test.each(languages)('speak %s, and so do the mails', async (language) => {
    const { url } = await invite();
    const page = await open(url, { 'accept-language': language });
    expect(page.body).toContain(`<html lang="${language}"`);
    for (const letter of [invitationLetter(language, 'Shop {link}', 'owner'), passwordLetter(language)])
      expect(letter.text.split('{link}')).toHaveLength(2);
  });

  test('read aloud first what is wrong with what was typed; what is asked for is tied to its field', async () => {
    const { url } = await invite();
    expect((await choose(url, 'short')).body).toContain('<title>It must have at least 12 characters. – Work with');
    const differing = (await choose(url, good, 'another')).body;
    expect(differing).toContain('<title>This is not the same password. – Work with');
    expect(differing).toMatch(/<input[^>]+id="password"[^>]+aria-describedby="password-hint"/);
    const link = await passwordLink((await addUser(app, [merchant])).id);
    const short = (await choose(link, 'short')).body;
    expect(short).toContain('<title>It must have at least 12 characters. – Set a new password');
    expect(short).toMatch(/<input[^>]+id="password"[^>]+aria-describedby="password-fault password-hint"/);
    expect((await send('/forgotten-password', { email: 'ada@' })).body).toContain(
      '<title>Enter an e-mail address, such as ada@example.com. – Forgotten',
    );
  });

  test('refuse what another site sends', async () => {
    const { url } = await invite();
    const fields = { password: good, repeat: good };
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
    ]) {
      const reply = await send(url, fields, headers);
      expect([reply.statusCode, reply.body.includes('not sent from this page')]).toEqual([403, true]);
    }
    expect((await send(url, fields)).statusCode).toBe(200);
  });

  test('leave no token in the log, whatever is done with it', async () => {
    logged.length = 0;
    const links = [(await invite()).url, await passwordLink((await addUser(app, [merchant])).id)];
    for (const url of links) {
      await open(url);
      await choose(url, 'short');
      await open(`${url}/more`);
      await app.app.inject({ method: 'PUT', url: new URL(url).pathname });
      await app.app.inject({ method: 'GET', url: `${new URL(url).pathname}?locale=de` });
      await choose(url, good);
    }
    expect(logged.length).toBeGreaterThanOrEqual(12);
    for (const url of links) expect(logged.join()).not.toContain(tokenIn(url));
    const stored = await app.rows('select token_hash::text as hash from user_links');
    for (const url of links) expect(JSON.stringify(stored)).not.toContain(tokenIn(url));
  });

  test('name no address of a request’s choosing', async () => {
    const reply = await app.app.inject({
      method: 'POST',
      url: '/forgotten-password',
      headers: { ...form, host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      payload: new URLSearchParams({ email: (await addUser(app, [merchant])).email }).toString(),
    });
    expect(reply.statusCode).toBe(200);
    const [text] = await sentTexts();
    expect(text).toContain('http://127.0.0.1:3000/new-password/');
    expect(text).not.toContain('evil');
  });
});

test('a merchant’s name does no more in a letter than to stand there', async () => {
  const letter = invitationLetter('en', '{link} $& Café', 'owner');
  const { link } = await app.parts.db.transaction((tx) =>
    inviteUser(tx, app.parts, {
      email: `named-${++count}@example.com`,
      name: null,
      merchantId: merchant.id,
      role: 'owner',
      now: app.clock.now(),
    }),
  );
  await app.parts.db.transaction((tx) =>
    queueLetter(tx, app.parts, { to: 'ada@example.com', letter, link: link.url }, app.clock.now()),
  );
  const [text] = await sentTexts();
  expect(text).toContain('$& Café invites you');
  expect(text!.split(link.url.reveal())).toHaveLength(2);
});

test('old links are swept', async () => {
  await invite();
  expect(await app.rows('select 1 from user_links')).not.toEqual([]);
  app.clock.advanceSeconds(40 * 24 * 3600);
  await sweepOnce(app.parts);
  expect(await app.rows('select 1 from user_links')).toEqual([]);
});

test('the owner is told when the second factor is turned on, off, and taken away, in their language', async () => {
  const user = await addUser(app, [merchant]);
  const visitor = new Visitor(app.app);
  await visitor.signIn(user);
  const { recoveryCodes } = await turnOnSecondFactor(app, visitor, user.password);
  const off = { password: user.password, code: recoveryCodes[0]! };
  // What fails is told to nobody.
  expect((await visitor.submit('/account/second-factor/off', { ...off, code: '123456' })).status).toBe(401);
  expect((await visitor.submit('/account/second-factor/off?locale=de', off)).status).toBe(303);
  await app.parts.db.transaction((tx) =>
    resetSecondFactor(tx, app.parts, user, secondFactorOffLetter('en'), app.clock.now()),
  );
  const texts = await sentTexts();
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain('Two-factor sign-in was just turned on');
  expect(texts[1]).toContain('genügt das Passwort');
  for (const message of server.messages) expect(message).toContain(`To: ${user.email}\r\n`);
  const secrets = [user.password, ...recoveryCodes];
  for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
});
