import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { issueApiKey } from '../../src/auth/api-key.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createRateLimiter, type RateLimiter } from '../../src/limits/rate-limiter.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

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

  test('with a guessed key tell how many a stranger has left, by either door', async () => {
    const guess = new Client(app.app, `sk_test_${'0'.repeat(40)}`, '');
    for (const reply of [await guess.get('/api/v1/m/merchant'), await guess.post('/api/v1/mcp', {})]) {
      expect([reply.status, reply.headers['ratelimit-policy']]).toEqual([401, '"minute";q=6000;w=60']);
    }
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
  const minuteLater = new Date(now.getTime() + 60_000);

  test.runIf(onPostgres)('let through the limit between them, once they have told each other', async () => {
    const [one, two] = [createRateLimiter(app.parts.db, silentLog), createRateLimiter(app.parts.db, silentLog)];
    const take = (limiter: typeof one) => limiter.take('shared', limit, 1, now).taken;
    for (let i = 0; i < 6; i++) expect(take(one)).toBe(true);
    await one.flush();
    for (let i = 0; i < 4; i++) expect(take(two)).toBe(true);
    expect(take(two)).toBe(false);
    expect(take(one)).toBe(true);
    await Promise.all([one.flush(), two.flush()]);
    for (const limiter of [one, two]) expect(take(limiter)).toBe(false);
    for (const limiter of [one, two]) expect(limiter.take('shared', limit, 5, minuteLater).taken).toBe(true);
    await Promise.all([one.flush(), two.flush()]);
    for (const limiter of [one, two]) expect(limiter.take('shared', limit, 1, minuteLater).taken).toBe(false);
  });

  test.runIf(onPostgres)('know what is used up at another that this caller never asked', async () => {
    const [one, two] = [createRateLimiter(app.parts.db, silentLog), createRateLimiter(app.parts.db, silentLog)];
    const subjects = Array.from({ length: 300 }, (_, index) => `address 2001:db8:${index.toString(16)}::/64 é,=%`);
    for (const subject of subjects) one.take(subject, limit, 10, now);
    await one.flush();
    for (const subject of subjects) {
      const { taken, standing } = two.take(subject, limit, 1, now);
      expect([taken, standing.remaining]).toEqual([false, 0]);
    }
  });

  /** A table that is away until it is back. */
  function fakeTable() {
    const counts = new Map<string, number>();
    const listeners: ((text: string) => void)[] = [];
    const table = { away: true, calls: 0 };
    const db = {
      engine: 'postgres',
      onWake: (_channel: string, listener: (text: string) => void) => listeners.push(listener),
      wake: (_channel: string, text: string) => listeners.forEach((listen) => void listen(text)),
      async many(_statement: unknown, [subjects, moments, added]: [string[], Date[], number[]]) {
        table.calls += 1;
        if (table.away) throw new Error('away');
        return subjects.map((subject, index) => {
          const key = `${subject} ${moments[index]!.getTime()}`;
          counts.set(key, (counts.get(key) ?? 0) + added[index]!);
          return { subject, starts_at: moments[index]!, count: counts.get(key)! };
        });
      },
    };
    return { db: db as never, table };
  }

  test('that cannot tell each other go on by themselves, warn once, and catch up', async () => {
    const warn = vi.fn();
    const { db, table } = fakeTable();
    const [one, two] = [1, 2].map(() => createRateLimiter(db, { ...silentLog, warn } as never)) as [
      RateLimiter,
      RateLimiter,
    ];
    const take = (limiter: RateLimiter, count: number) => limiter.take('alone', limit, count, now).taken;
    expect(take(one, 6)).toBe(true);
    for (let i = 0; i < 3; i++) await one.flush();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]![1]).toBe('rate limits are not shared between processes now');
    // Each has its own limit meanwhile.
    expect([take(one, 5), take(one, 4), take(two, 3)]).toEqual([false, true, true]);
    table.away = false;
    await one.flush();
    expect([take(two, 1), take(one, 1)]).toEqual([false, false]);
    expect(one.take('alone', limit, 1, minuteLater).taken).toBe(true);
    const { calls } = table;
    await one.flush();
    await one.flush();
    expect(table.calls).toBe(calls + 1);
  });

  test('count what comes while the table is slow', async () => {
    const { db, table } = fakeTable();
    table.away = false;
    const limiter = createRateLimiter(db, silentLog);
    const take = (count: number) => limiter.take('slow', limit, count, now).taken;
    expect(take(4)).toBe(true);
    const flushing = limiter.flush();
    expect([take(7), take(6), take(1)]).toEqual([false, true, false]);
    await flushing;
    expect(take(1)).toBe(false);
    await limiter.flush();
    expect(take(1)).toBe(false);
  });
});
