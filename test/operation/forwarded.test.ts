import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { issueApiKey } from '../../src/auth/api-key.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { secretsKey } from '../harness/database.ts';
import { addUser } from '../harness/people.ts';

const caller = '203.0.113.5';
const elsewhere = '198.51.100.9';
const proxy = '10.0.0.1';

let app: TestApp;
let merchant: TestMerchant;
/** Works from `caller`'s network alone. */
let bound: string;
/** The app as it is built for each setting of TRUST_PROXY. */
const apps = new Map<string, FastifyInstance>();
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
  const terms = { kind: 'secret' as const, name: 'bound', ipRanges: ['203.0.113.0/24'] };
  const scope = { merchantId: merchant.id, livemode: false };
  bound = (await app.parts.db.transaction((tx) => issueApiKey(tx, scope, terms, app.clock.now()))).key.reveal();
  for (const setting of ['', 'none', '10.0.0.0/8', `${proxy},10.0.0.7,fd00::/8`]) {
    const { trustProxy } = readConfig({ SECRETS_KEY: secretsKey, TRUST_PROXY: setting });
    apps.set(setting, await buildApp(app.parts, { trustProxy }));
  }
});
afterAll(async () => {
  for (const one of apps.values()) await one.close();
  await app.close();
});

async function ask(setting: string, peer: string, headers: Record<string, string>): Promise<number> {
  const answer = await apps.get(setting)!.inject({
    method: 'GET',
    url: '/api/v1/m/merchant',
    remoteAddress: peer,
    headers: { authorization: `Bearer ${bound}`, ...headers },
  });
  return answer.statusCode;
}

describe('whose word about a caller’s address counts', () => {
  test.each(['', 'none'])('nobody’s with TRUST_PROXY=%j', async (setting) => {
    expect(await ask(setting, caller, {})).toBe(200);
    expect(await ask(setting, caller, { 'x-forwarded-for': elsewhere })).toBe(200);
    for (const header of ['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip']) {
      expect(await ask(setting, elsewhere, { [header]: caller })).toBe(403);
      expect(await ask(setting, '127.0.0.1', { [header]: caller })).toBe(403);
    }
    expect(await ask(setting, elsewhere, { forwarded: `for=${caller}` })).toBe(403);
  });

  test.each(['10.0.0.0/8', `${proxy},10.0.0.7,fd00::/8`])('that of listed proxies with %s', async (setting) => {
    expect(await ask(setting, proxy, { 'x-forwarded-for': caller })).toBe(200);
    expect(await ask(setting, `::ffff:${proxy}`, { 'x-forwarded-for': caller })).toBe(200);
    // Through two of them.
    expect(await ask(setting, proxy, { 'x-forwarded-for': `${caller}, 10.0.0.7` })).toBe(200);
    // What the caller wrote there himself stands in front of what the proxy saw.
    expect(await ask(setting, proxy, { 'x-forwarded-for': `${caller}, ${elsewhere}` })).toBe(403);
    expect(await ask(setting, proxy, { 'x-forwarded-for': `${caller}, ${elsewhere}, 10.0.0.7` })).toBe(403);
    expect(await ask(setting, elsewhere, { 'x-forwarded-for': caller })).toBe(403);
    expect(await ask(setting, '127.0.0.1', { 'x-forwarded-for': caller })).toBe(403);
    expect(await ask(setting, proxy, { 'x-real-ip': caller, forwarded: `for=${caller}` })).toBe(403);
  });

  test.each([
    'unknown',
    ',',
    ' ',
    `${caller}:443`,
    '[2001:db8::1]:80',
    `${caller} ${elsewhere}`,
    '_hidden, é',
    '203.0.113',
    '9'.repeat(4000),
  ])('no nonsense from a proxy is an address, or a fault: %s', async (text) => {
    expect(await ask('10.0.0.0/8', proxy, { 'x-forwarded-for': Buffer.from(text).toString('latin1') })).toBe(403);
  });

  test.each(['true', 'all', '*', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/x', 'proxy.lan', '10.0.0.1,', '10.1'])(
    'everybody’s is no setting: %s',
    (setting) => {
      const read = () => readConfig({ SECRETS_KEY: secretsKey, TRUST_PROXY: setting });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(/TRUST_PROXY must be none, or list the addresses or ranges of proxies, such as/);
    },
  );
});

test('tries to sign in are counted for the address that a trusted proxy saw, whatever was forged', async () => {
  const { email } = await addUser(app, [merchant]);
  const attempt = async (peer: string, forwarded: string, number: number) => {
    const answer = await apps.get('10.0.0.0/8')!.inject({
      method: 'POST',
      url: '/api/v1/m/sessions',
      remoteAddress: peer,
      headers: { 'x-forwarded-for': forwarded },
      payload: { email: number === 0 ? email : `nobody-${number}@example.com`, password: 'wrong' },
    });
    return answer.statusCode;
  };
  // All but a few of the minute's tries from that network.
  for (let i = 0; i < 58; i++) await app.parts.signInTries.byAddress.take(elsewhere, app.clock.now());
  const forged = [0, 1, 2].map((number) => attempt(proxy, `192.0.2.${number}, ${elsewhere}`, number));
  expect((await Promise.all(forged)).sort()).toEqual([401, 401, 429]);
  expect(await attempt(proxy, caller, 3)).toBe(401);
  expect(await attempt(elsewhere, '192.0.2.77', 4)).toBe(429);
});

test('links never come from a header, trusted or not', async () => {
  for (const [setting, peer] of [
    ['', elsewhere],
    ['10.0.0.0/8', proxy],
  ] as const) {
    const answer = await apps.get(setting)!.inject({
      method: 'POST',
      url: '/api/v1/m/checkout_sessions',
      remoteAddress: peer,
      headers: {
        authorization: `Bearer ${merchant.test.key}`,
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-port': '8443',
        forwarded: 'host=evil.example;proto=https',
      },
      payload: { checkout_session: { amount_cents: 500 } },
    });
    expect([answer.statusCode, answer.payload.includes('evil')]).toEqual([201, false]);
    expect(answer.json().checkout_url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/checkout\//);
  }
});
