import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { queueMail } from '../../src/flows/queue-mail.ts';
import { sendDueMails, sendMails } from '../../src/jobs/send-mails.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { secretsKey } from '../harness/database.ts';
import { goTo, invite, pay, subscribe } from '../harness/subscriptions.ts';
import { until } from '../harness/until.ts';
import { SmtpServer } from '../support/smtp-server.ts';

let server: SmtpServer;
let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  server = await SmtpServer.start();
  const url = server.url.replace('//', '//shop:password@');
  app = await openTestApp({ watch: false, env: { SMTP_URL: url, MAIL_FROM: 'Satline <pay@shop.example>' } });
});
beforeEach(async () => {
  app.clock.set(new Date('2027-01-01T10:00:00.000Z'));
  await app.rows('update subscriptions set look_at = null');
  await app.rows('delete from mails');
  server.messages.length = 0;
  server.verdict = 'takes';
  server.refusal = undefined;
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await app.close();
  await server.stop();
});

const mails = () => app.rows('select state, tries, sealed, last_error from mails order by created_at, id');
const queue = (mail: Partial<{ to: string; subject: string; text: string }> = {}) =>
  app.parts.db.transaction((tx) =>
    queueMail(
      tx,
      app.parts,
      merchant.id,
      { to: 'ada@example.com', subject: 'Hi', text: 'Hello', ...mail },
      app.clock.now(),
    ),
  );
const subjects = () => server.messages.map((message) => /^Subject: (.*)$/m.exec(message)?.[1]);

/** The text of a message, its transfer encoding undone. */
const textOf = (message: string) =>
  message
    .slice(message.indexOf('\r\n\r\n'))
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

test('a mail is sent once, with an id of its own, and what it said is forgotten', async () => {
  await queue();
  expect((await mails())[0]).toMatchObject({ state: 'waiting', tries: 0 });
  expect(JSON.stringify(await mails())).not.toContain('Hello');
  expect(await Promise.all([sendDueMails(app.parts), sendDueMails(app.parts)])).toContain(1);
  expect(await sendDueMails(app.parts)).toBe(0);
  expect(server.messages).toHaveLength(1);
  expect(server.messages[0]).toMatch(/^Message-ID: <[0-9a-f-]{36}@shop\.example>$/m);
  expect(server.messages[0]).toMatch(/^From: Satline <pay@shop\.example>$/m);
  expect(server.messages[0]).toMatch(/^To: ada@example\.com$/m);
  expect(await mails()).toEqual([{ state: 'sent', tries: 1, sealed: null, last_error: null }]);
});

test('a name cannot smuggle in a header', async () => {
  await queue({ subject: 'Shop\r\nBcc: eve@example.com\r\n\r\nBuy' });
  await sendDueMails(app.parts);
  expect(server.messages[0]).not.toMatch(/^Bcc:/m);
  expect(subjects()).toEqual(['Shop Bcc: eve@example.com Buy']);
});

test('a server that cannot now is asked again, later and later; the same mail keeps its id', async () => {
  server.verdict = 'later';
  await queue();
  await sendDueMails(app.parts);
  expect((await mails())[0]).toMatchObject({ state: 'waiting', tries: 1, last_error: expect.stringContaining('451') });
  app.clock.advanceSeconds(59);
  expect(await sendDueMails(app.parts)).toBe(0);
  app.clock.advanceSeconds(1);
  server.verdict = 'takes';
  expect(await sendDueMails(app.parts)).toBe(1);
  expect((await mails())[0]).toMatchObject({ state: 'sent', tries: 2 });
  server.verdict = 'later';
  await queue();
  for (const wait of [0, 60, 300, 1800, 7200, 21_600, 86_400]) {
    app.clock.advanceSeconds(wait);
    expect(await sendDueMails(app.parts)).toBe(1);
  }
  expect((await mails())[1]).toMatchObject({ state: 'failed', tries: 7, sealed: null });
});

test('a server that never will is not asked again', async () => {
  server.verdict = 'never';
  await queue();
  await sendDueMails(app.parts);
  expect((await mails())[0]).toMatchObject({ state: 'failed', tries: 1, last_error: expect.stringContaining('550') });
});

test.each([
  { to: 'greeting', answer: '554 no service here' },
  { to: 'AUTH', answer: '535 wrong password' },
  { to: 'MAIL', answer: '530 log in first' },
] as const)('a server that turns Satline away with $answer says nothing about the mail', async (refusal) => {
  server.refusal = refusal;
  await queue();
  await sendDueMails(app.parts);
  expect((await mails())[0]).toMatchObject({ state: 'waiting', tries: 1 });
  server.refusal = undefined;
  app.clock.advanceSeconds(60);
  expect(await sendDueMails(app.parts)).toBe(1);
  expect((await mails())[0]).toMatchObject({ state: 'sent', tries: 2 });
});

test.each(['550 you may not send', '553 no such sender'])(
  'a sender refused with %s is refused for good',
  async (answer) => {
    server.refusal = { to: 'MAIL', answer };
    await queue();
    await sendDueMails(app.parts);
    expect((await mails())[0]).toMatchObject({ state: 'failed', tries: 1 });
  },
);

test('the job sends by itself, and stops when it is asked', async () => {
  await queue();
  const job = sendMails(app.parts);
  await until(async () => server.messages.length === 1, 20_000);
  await job.stop();
});

describe('a subscription writes to its customer', () => {
  test('with the invitation, before a trial ends, for each charge, and when it is late', async () => {
    const subscription = await subscribe(app, merchant.test, { trial_days: 7, name: 'Club ✓' });
    await goTo(app, '2027-01-05T10:00:00.000Z');
    await goTo(app, '2027-01-08T10:00:00.000Z');
    await goTo(app, '2027-01-11T10:00:00.000Z');
    await pay(app, merchant.test, subscription);
    while ((await sendDueMails(app.parts)) > 0);
    expect(server.messages).toHaveLength(4);
    for (const message of server.messages) {
      expect(textOf(message)).toContain(subscription.customer_url);
      expect(message).toMatch(/^To: ada@example\.com$/m);
    }
    const texts = server.messages.map(textOf).join('\n');
    for (const words of ['Nothing is charged before', 'ends on January 8, 2027', 'pay $10.00 here', 'still open']) {
      expect(texts).toContain(words);
    }
  });

  test('of test mode says so', async () => {
    await invite(merchant.test);
    await invite(merchant.live);
    while ((await sendDueMails(app.parts)) > 0);
    expect(subjects().toSorted()).toEqual([
      'Test Shop invites you: Newsletter',
      '[Test] Test Shop invites you: Newsletter',
    ]);
  });
});

test('without a server nothing is kept', async () => {
  const parts = { ...app.parts, mailer: undefined };
  await app.parts.db.transaction((tx) =>
    queueMail(tx, parts, merchant.id, { to: 'a@example.com', subject: 's', text: 't' }, app.clock.now()),
  );
  expect(await mails()).toEqual([]);
});

test('the settings are checked at start', () => {
  const read = (env: NodeJS.ProcessEnv) => readConfig({ SECRETS_KEY: secretsKey, ...env });
  expect(() => read({ SMTP_URL: 'mail.example.com' })).toThrow('SMTP_URL must be an address such as smtp://');
  expect(() => read({ SMTP_URL: 'smtp://a:100%zz@mail.example.com' })).toThrow('SMTP_URL must have each % of its user');
  expect(() => read({ SMTP_URL: 'smtp://mail.example.com' })).toThrow('MAIL_FROM is required with SMTP_URL');
  expect(read({ SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@example.com' }).smtpUrl).toBe(
    'smtp://mail.example.com',
  );
});
