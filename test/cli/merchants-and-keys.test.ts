import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/cli/open.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase, onPostgres, type TestDatabase } from '../harness/database.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

const unknownId = '01890000-0000-7000-8000-000000000001';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const run = (...words: string[]) => satlineHere(database.env, ...words);
/** As a process of its own. */
const runBuilt = (...words: string[]) => satline(database.env, ...words);

describe('merchants and keys', { timeout: 180_000 }, () => {
  let merchantId: string;
  let keyId: string;

  test('a merchant is made with what was given', async () => {
    const made = await runBuilt(
      ...['merchant', 'create', '--name', ' Corner Shop ', '--email', 'shop@example.com'],
      ...['--currency', 'EUR', '--time-zone', 'europe/berlin', '--json'],
    );
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const merchant = made.json();
    expect(merchant).toMatchObject({
      object: 'merchant',
      name: 'Corner Shop',
      email: 'shop@example.com',
      currency: 'eur',
      time_zone: 'Europe/Berlin',
      status: 'active',
    });
    merchantId = merchant.id;
  });

  test('a key of the only merchant needs no --merchant', async () => {
    const terms = ['--permissions', 'orders:read,orders:write', '--ip-ranges', '10.1.1.1/8', '--name', 'Till'];
    const made = await run('key', 'create', ...terms, '--json');
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const key = made.json();
    expect(key).toMatchObject({
      merchant_id: merchantId,
      livemode: false,
      object: 'api_token',
      token_type: 'secret',
      name: 'Till',
      permissions: ['orders:read', 'orders:write'],
      ip_ranges: ['10.0.0.0/8'],
      revoked_at: null,
    });
    expect(key.key).toMatch(/^sk_test_[0-9A-Za-z]{40}$/);
    expect(key.key.slice(-4)).toBe(key.last_four);
    keyId = key.id;
  });

  test('a key is printed once, for a person as well', async () => {
    const made = await run('key', 'create', '--live', '--publishable', '--merchant', merchantId);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^Live publishable key, for Corner Shop in live mode:\n\n {2}pk_live_\w{40}\n/);
  });

  test('a revoked key is listed as such, and no list shows a key', async () => {
    const revoked = await run('key', 'revoke', keyId, '--json');
    expect(revoked.code).toBe(0);
    expect(revoked.json()).toMatchObject({ id: keyId, revoked_at: expect.any(String) });
    const list = await run('key', 'list', '--merchant', merchantId, '--json');
    const keys = list.json().data;
    expect(keys).toMatchObject([
      { id: keyId, prefix: 'sk_test_', revoked_at: revoked.json().revoked_at },
      { prefix: 'pk_live_', livemode: true, permissions: null, revoked_at: null },
    ]);
    expect(list.stdout).not.toMatch(/_(test|live)_\w{8}/);
  });

  test('a key for an agent has its limits, in the currency of its merchant', async () => {
    const limits = ['--tools', 'create_order,get_order', '--max-order', '50', '--max-daily', '199.90'];
    const made = await run('key', 'create', '--name', 'Assistant', ...limits);
    expect(made.stdout).toMatch(
      /only {2}create_order, get_order\n.*asks {2}at most €50\.00 at once\n.*asks {2}at most €199\.90 a day/,
    );
    expect((await run('key', 'list')).stdout).toContain('2 tools, €50.00 at once, €199.90 a day');
    expect(await run('key', 'create', '--max-order', '1.234')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1.234 is no amount of eur.'),
    });
  });

  test('a key for web pages may be for products only', async () => {
    const made = await run('key', 'create', '--publishable', '--products-only', '--name', 'Window');
    expect(made.stdout).toMatch(/^Window, .*\n\n {2}pk_test_\w{40}\n[\s\S]*asks {2}for products only$/m);
    expect((await run('key', 'list')).stdout).toMatch(/products only +Window/);
    const refused = await run('key', 'create', '--products-only');
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('--products-only is for --publishable keys.');
  });

  test('an id that nobody has is a failure', async () => {
    const revoked = await run('key', 'revoke', unknownId);
    expect(revoked).toMatchObject({ code: 1, stdout: '' });
    expect(revoked.stderr).toContain('"satline key list" shows them');
  });

  test('with a second merchant --merchant is needed', async () => {
    const second = await run('merchant', 'create', '--name', 'Other', '--email', 'other@example.com');
    const secondId = /id (\S+)/.exec(second.stdout)![1]!;
    expect(second.stdout).toContain(`satline key create --merchant ${secondId}`);
    expect((await run('merchant', 'list')).stdout).toMatch(
      new RegExp(`^ID .*NAME\n${merchantId} .*Corner Shop\n${secondId} .*Other\n$`),
    );
    const list = await run('key', 'list', '--json');
    expect(list.code).toBe(1);
    expect(list.json().message).toContain('There are 2 merchants. Say which one with --merchant ID');
  });

  test('a schema that is up to date stays as it is', async () => {
    const migrated = await run('migrate', '--json');
    expect(migrated.json()).toEqual({ object: 'migration', engine: onPostgres ? 'postgres' : 'embedded', applied: [] });
  });

  test.skipIf(onPostgres)('an embedded database in use is a sentence', async () => {
    const db = await openDatabase(readConfig(database.env));
    try {
      const list = await runBuilt('merchant', 'list');
      expect(list).toMatchObject({ code: 1, stdout: '' });
      expect(list.stderr).toContain(`is in use by process ${process.pid}, most likely the Satline server. Stop it`);
      expect(list.stderr).not.toContain('    at ');
    } finally {
      await db.close();
    }
  });
});
