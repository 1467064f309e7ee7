import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueApiKey } from '../../src/auth/api-key.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createRateLimiter } from '../../src/limits/rate-limiter.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

async function limitedClient(rpmLimit: number): Promise<Client> {
  const scope = { merchantId: merchant.id, livemode: false };
  const terms = { kind: 'secret' as const, name: 'limited', rpmLimit };
  const issued = await app.parts.db.transaction((tx) => issueApiKey(tx, scope, terms, app.clock.now()));
  return new Client(app.app, issued.key.reveal(), issued.id);
}

describe('requests', () => {
  test('of a key end with its limit, and begin anew with the next minute', async () => {
    const client = await limitedClient(3);
    for (const left of [2, 1, 0]) {
      const reply = await client.get('/api/v1/m/merchant');
      expect([reply.status, reply.headers.ratelimit]).toEqual([
        200,
        expect.stringMatching(`^"minute";r=${left};t=\\d+$`),
      ]);
      expect(reply.headers['ratelimit-policy']).toBe('"minute";q=3;w=60');
    }
    const refused = await client.get('/api/v1/m/merchant');
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers.ratelimit).toMatch(/^"minute";r=0;t=/);
    expect((await merchant.test.get('/api/v1/m/merchant')).status).toBe(200);
    app.clock.advanceSeconds(60);
    expect((await client.get('/api/v1/m/merchant')).status).toBe(200);
  });

  test('over MCP count one by one; a batch is taken or refused whole', async () => {
    const client = await limitedClient(5);
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const send = (count: number) =>
      app.app.inject({
        method: 'POST',
        url: '/api/v1/mcp',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        payload: JSON.stringify(count === 1 ? ping : Array(count).fill(ping)),
      });
    expect((await send(4)).statusCode).toBe(200);
    const refused = await send(2);
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, -32000]);
    expect(refused.headers['retry-after']).toBeDefined();
    expect((await send(1)).statusCode).toBe(200);
    expect((await send(1)).statusCode).toBe(429);
  });
});

describe('several processes', () => {
  const limit = [{ name: 'minute' as const, most: 10 }];
  const now = new Date('2027-03-01T10:00:05.000Z');

  test.runIf(onPostgres)('let through the limit between them, once they have told each other', async () => {
    const [one, two] = [createRateLimiter(app.parts.db, silentLog), createRateLimiter(app.parts.db, silentLog)];
    const take = (limiter: typeof one) => limiter.take('shared', limit, 1, now).taken;
    for (let i = 0; i < 6; i++) expect(take(one)).toBe(true);
    await one.flush();
    for (let i = 0; i < 3; i++) expect(take(two)).toBe(true);
    await two.flush();
    expect(take(two)).toBe(true);
    expect(take(two)).toBe(false);
    await two.flush();
    expect(take(one)).toBe(true);
    await one.flush();
    expect(take(one)).toBe(false);
  });

  test('that cannot tell each other go on by themselves', async () => {
    const broken = { engine: 'postgres', many: async () => Promise.reject(new Error('away')) } as never;
    const limiter = createRateLimiter(broken, silentLog);
    expect(limiter.take('alone', limit, 10, now).taken).toBe(true);
    await limiter.flush();
    expect(limiter.take('alone', limit, 1, now).taken).toBe(false);
    expect(limiter.take('alone', limit, 1, new Date(now.getTime() + 60_000)).taken).toBe(true);
  });
});
