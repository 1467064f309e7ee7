import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildParts } from '../../src/build-parts.ts';
import { checkMigrations } from '../../src/cli/doctor/check-database.ts';
import { checkRates } from '../../src/cli/doctor/check-rates.ts';
import { openDatabase } from '../../src/cli/open.ts';
import { readConfig } from '../../src/config.ts';
import { dynamicStatement } from '../../src/db/database.ts';
import { addMerchant } from '../../src/flows/new-merchant.ts';
import type { Parts } from '../../src/flows/parts.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createTestDatabase, onPostgres, secretsKey, type TestDatabase } from '../harness/database.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

interface Check {
  name: string;
  status: string;
  found: string;
  advice: string | null;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function inDatabase(work: (parts: Parts) => Promise<unknown>): Promise<void> {
  const built = await buildParts(readConfig(database.env), { log: silentLog, allowPrivateNetworks: false });
  await work(built.parts);
  await built.close();
}

async function examine(env: NodeJS.ProcessEnv = {}) {
  const { code, stdout, stderr, json } = await satlineHere({ ...database.env, ...env }, 'doctor', '--json');
  const { ok, checks } = json() as { ok: boolean; checks: Check[] };
  expect(ok).toBe(code === 0);
  expect(stderr).toBe('');
  expect(stdout).not.toContain(secretsKey);
  const status = Object.fromEntries(checks.map((check) => [check.name, check.status]));
  return { code, status, get: (name: string) => checks.find((check) => check.name === name)! };
}

describe('doctor', { timeout: 180_000 }, () => {
  test('finds an installation in order', async () => {
    const { code, status, get } = await examine();
    expect(status).toEqual({
      node: 'ok',
      configuration: 'ok',
      database: 'ok',
      migrations: 'ok',
      'secrets key': 'ok',
      merchants: 'ok',
      'exchange rates': 'ok',
    });
    expect(code).toBe(0);
    if (!onPostgres) expect(get('database').advice).toContain('set DATABASE_URL');
  });

  test('tells a person the wrong secrets key in a sentence', async () => {
    const { code, stdout, stderr } = await satline({ ...database.env, SECRETS_KEY: '22'.repeat(32) }, 'doctor');
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toContain(
      '✗ secrets key: The secrets key is not the one this database was sealed with.\n    Put back',
    );
    expect(stdout).toContain('✓ migrations');
    expect(stdout).not.toMatch(/(22){8}/);
    expect(stdout).toMatch(/\n1 trouble\.\n$/);
  });

  test('looks at every wallet', async () => {
    await inDatabase(async ({ db, clock }) => {
      const terms = { email: null, currency: 'usd', timeZone: 'UTC' };
      await db.transaction((tx) => addMerchant(tx, { name: 'Bare', ...terms }, clock.now()));
      await db.transaction((tx) => addMerchant(tx, { name: 'Shop', ...terms }, clock.now()));
      await db.run(
        dynamicStatement(`
          insert into wallets (id, merchant_id, livemode, name, connection, lightning_address, position,
                               settlement_visibility, enabled, last_error, consecutive_failures, broken_until,
                               created_at, updated_at)
          select gen_random_uuid(), m.id, true, w.name, 'lightning_address', 'a@b.co', 1, visibility, enabled, error,
                 failures, case when failures >= 5 then now() + interval '1 hour' end, now(), now()
            from merchants m, (values ('blind', 'none', true, null, 0), ('paused', 'proof', true, 'It is away.', 7),
                                      ('shaky', 'proof', true, 'It was away.', 1), ('off', 'none', false, null, 0))
                              as w (name, visibility, enabled, error, failures)
           where m.name = 'Shop'`),
      );
    });

    const { code, status, get } = await examine();
    expect(code).toBe(1);
    expect(status).toMatchObject({
      'live wallet blind': 'trouble',
      'live wallet paused': 'trouble',
      'live wallet shaky': 'ok',
      'live wallet off': 'ok',
      'test wallet Simulated test wallet': 'ok',
    });
    expect(get('live wallet paused')).toMatchObject({
      found: 'Paused after 7 failures: It is away.',
      advice: expect.stringContaining('satline wallet probe'),
    });
    expect(get('live wallet shaky').advice).toContain('It was away.');
    expect(get('merchant Bare').advice).toContain('satline wallet add --merchant');
    expect(status).not.toHaveProperty('merchant Shop');
  });

  test('asks every exchange rate source', async () => {
    const server = createServer((request, response) => {
      const kraken = { error: [], result: { XXBTZUSD: { c: ['50100.0', '1'] } } };
      const coinbase = { data: { currency: 'BTC', rates: { USD: '50000' } } };
      if (request.url === '/mempool') response.writeHead(502).end('<h1>Bad gateway</h1>');
      else response.end(JSON.stringify(request.url === '/kraken' ? kraken : coinbase));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const signal = new AbortController().signal;
    const ask = (sources: string) => checkRates(readConfig({ HOST: '127.0.0.1', RATE_SOURCES: sources }), signal);
    try {
      const kraken = `kraken=${at}/kraken`;
      expect(await ask(`coinbase=${at}/coinbase,${kraken},mempool=${at}/mempool`)).toMatchObject([
        { name: 'exchange rate source coinbase', status: 'ok', found: 'Answers: one bitcoin is 50000 dollars.' },
        { name: 'exchange rate source kraken', status: 'ok', found: 'Answers: one bitcoin is 50100.0 dollars.' },
        { name: 'exchange rate source mempool', status: 'trouble', found: 'Gives no price: HTTP status 502.' },
        { name: 'exchange rates', status: 'ok', found: 'The sources agree on 50050.00 dollars.' },
      ]);
      const disagree = await ask(`${kraken},mempool=${at}/mempool`);
      expect(disagree[2]).toMatchObject({ status: 'trouble', found: expect.stringContaining('No 2 sources agree') });
      expect(() => readConfig({ RATE_SOURCES: kraken })).toThrow(/two must agree/);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test('says that the schema is behind, and leaves it so', async () => {
    const db = await openDatabase(readConfig(database.env));
    const newest = '(select max(version) from schema_migrations)';
    await db.run(dynamicStatement(`delete from schema_migrations where version = ${newest}`));
    for (const _ of ['once', 'again']) {
      expect(await checkMigrations(db)).toMatchObject({
        status: 'trouble',
        found: expect.stringMatching(/^Not applied yet: \S+\.$/),
        advice: expect.stringContaining('satline migrate'),
      });
    }
    await db.run(dynamicStatement(`insert into schema_migrations (version, name) values (9999, 'future')`));
    expect(await checkMigrations(db)).toMatchObject({ status: 'trouble', advice: expect.stringContaining('newer') });
    await db.close();
  });

  test('makes no database where there is none', async () => {
    const { DATABASE_URL: _, ...env } = database.env;
    const DATA_DIR = join(tmpdir(), `satline-test-${process.env.SATLINE_TEST_RUN}`, 'nowhere');
    const { code, stdout } = await satlineHere({ ...env, DATA_DIR }, 'doctor');
    expect(code).toBe(1);
    expect(stdout).toContain('✗ database: There is no database in');
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  test('names what is wrong with the configuration', async () => {
    const { code, get, status } = await examine({ SECRETS_KEY: 'short', PORT: '-1' });
    expect(code).toBe(1);
    expect(get('configuration')).toMatchObject({ status: 'trouble', found: expect.stringContaining('PORT must be') });
    expect(status.database).toBe('skipped');
  });
});
