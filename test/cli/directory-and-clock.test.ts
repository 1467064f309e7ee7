import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { listen } from '../harness/event-stream.ts';
import { subscribe } from '../harness/subscriptions.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'satline-directory-'));
let app: TestApp;
let url: string;
let merchant: TestMerchant;
let database: TestDatabase;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  url = await listen(app);
  merchant = await app.newMerchant();
  database = await createTestDatabase();
});
afterAll(async () => {
  await app.close();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const file = (name: string, content: string) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test('directory import takes a file, all of it or nothing, and says what changed', async () => {
  const exchange = { name: 'A', url: 'https://a.example', source_url: 'https://a.example', checked_on: '2027-01-01' };
  const good = file('good.json', JSON.stringify({ exchanges: [exchange], channels: [{ slug: 'one', name: 'One' }] }));
  const first = await satline(database.env, 'directory', 'import', good, '--json');
  expect([first.code, JSON.parse(first.stdout)]).toMatchObject([
    0,
    { object: 'directory_import', exchanges: 1, channels: 1, changed: 2, removed: 0 },
  ]);
  const again = await satlineHere(database.env, 'directory', 'import', good);
  expect(again.stdout).toBe('Read 1 exchange, 0 countries and 1 channel: 0 new or changed, 0 removed.\n');
  const bad = file('bad.json', JSON.stringify({ exchanges: [{ ...exchange, name: 'B', url: 'nowhere' }] }));
  const refused = await satlineHere(database.env, 'directory', 'import', bad);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('exchanges[0].url must be an http(s) address'),
  ]);
  const misspelt = await satlineHere(database.env, 'directory', 'import', file('misspelt.json', '{"exchange":[]}'));
  expect([misspelt.code, misspelt.stderr]).toEqual([
    1,
    'The file has none of the lists countries, exchanges and channels\n',
  ]);
  const text = await satlineHere(database.env, 'directory', 'import', file('text.json', '{'));
  expect([text.code, text.stderr]).toEqual([1, expect.stringContaining('is no JSON')]);
  const missing = await satlineHere(database.env, 'directory', 'import', join(folder, 'none.json'));
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no /')]);
});

test('clock advance moves a merchant’s test data on a running service', async () => {
  await subscribe(app, merchant.test, { trial_days: 7 });
  const env = { DATA_DIR: folder, SATLINE_URL: url };
  const moved = await satlineHere(
    { ...env, SATLINE_KEY: merchant.test.key! },
    'clock',
    'advance',
    '--by',
    '7d',
    '--json',
  );
  expect([moved.code, JSON.parse(moved.stdout)]).toMatchObject([0, { object: 'test_clock', offset_seconds: 604_800 }]);
  const { body } = await merchant.test.get('/api/v1/m/subscriptions');
  expect(body.data[0].status).toBe('active');
  const live = await satlineHere({ ...env, SATLINE_KEY: merchant.live.key! }, 'clock', 'advance', '--by', '1h');
  expect([live.code, live.stderr]).toEqual([1, expect.stringContaining('Only a test key can do this')]);
  const wrong = await satlineHere(env, 'clock', 'advance', '--by', 'soon');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('It must be such as 90s')]);
});
