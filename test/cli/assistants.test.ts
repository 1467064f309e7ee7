import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sentenceOf } from '../../src/cli/failure.ts';
import { ManualClock } from '../../src/kernel/clock.ts';
import { openTestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { connect } from '../harness/oauth.ts';
import { addUser } from '../harness/people.ts';
import { printedBy } from './run-in-process.ts';

let database: TestDatabase;
let merchantId: string;
/** The connections of a merchant, oldest first. */
let connections: { id: string; livemode: boolean; client_name: string }[];

beforeAll(async () => {
  database = await createTestDatabase();
  const clock = new ManualClock(new Date());
  const app = await openTestApp({ watch: false, database: { ...database, drop: async () => {} }, clock });
  const [shop, other] = [await app.newMerchant(), await app.newMerchant()];
  merchantId = shop.id;
  const [owner, elsewhere] = [await addUser(app, [shop]), await addUser(app, [other])];
  for (const [mode, client_name] of [
    ['test', 'Claude'],
    ['live', 'Odd\u001b[2J'],
  ] as const) {
    await connect(app, owner, shop.id, { mode, metadata: { client_name } });
    clock.advanceSeconds(1);
  }
  await connect(app, elsewhere, other.id);
  connections = await app.rows(
    'select id, livemode, client_name from oauth_connections where merchant_id = $1 order by created_at',
    [merchantId],
  );
  await app.close();
});
afterAll(() => database.drop());

const run = (...words: string[]) => printedBy(database.env, 'assistant', ...words);
// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
const runJson = async (...words: string[]): Promise<any> => JSON.parse(await run(...words, '--json'));

// Each command opens the database anew, which takes its time on the embedded one.
describe('assistants', { timeout: 120_000 }, () => {
  test('are listed, those of one merchant in both modes', async () => {
    const { object, data } = await runJson('list', '--merchant', merchantId);
    expect(object).toBe('list');
    expect(data).toHaveLength(2);
    expect(data).toMatchObject(
      connections.map((one) => ({ ...one, object: 'oauth_connection', redirect_host: '127.0.0.1', revoked_at: null })),
    );
  });

  test('are disconnected once, stay listed, and cannot move the cursor with their names', async () => {
    const [{ id }] = connections as [(typeof connections)[0]];
    expect(await run('revoke', id)).toBe('Claude is disconnected. Running servers refuse it within 2 seconds.\n');
    expect(await run('revoke', id)).toMatch(/^Claude was disconnected before, on \d{4}-\S+Z\.\n$/);
    expect((await run('list', '--merchant', merchantId)).split('\n')).toEqual([
      expect.stringMatching(/^ID +MODE +STATE +MAY +GOES TO +LAST USED +NAME$/),
      expect.stringMatching(/ test +ended +catalog,payment_links +127\.0\.0\.1 +never +Claude$/),
      expect.stringMatching(/ live +active +catalog,payment_links +127\.0\.0\.1 +never +Odd \[2J$/),
      '',
    ]);
  });

  test('have ids, and what to do about one that nobody has is said', async () => {
    const fault = await runJson('revoke', merchantId).then(() => undefined, sentenceOf);
    expect(fault).toMatch(/^No connection has the id .* "satline assistant list" shows them/);
  });
});
