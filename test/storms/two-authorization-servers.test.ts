import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { refreshLeewaySeconds } from '../../src/model/oauth-connection.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createTestDatabase, onPostgres } from '../harness/database.ts';
import { Assistant } from '../harness/oauth.ts';
import { addUser } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { freePort } from './cluster.ts';
import { callOver, doorTo, SatlineProcess } from './process.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

/** Behind one address, as a load balancer has them; what they decide they decide in the database. */
describe.skipIf(!onPostgres)('two real processes that give tokens', () => {
  let app: TestApp;
  let merchant: TestMerchant;
  let owner: { id: string };
  let dataDir: string;
  let urls: string[];
  let processes: SatlineProcess[];

  beforeAll(async () => {
    const database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'satline-tokens-'));
    const ports = [await freePort(), await freePort()];
    urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const environment = { ...database.env, DATA_DIR: dataDir, PUBLIC_URL: urls[0] };
    // Where people agree; its merchant is there before the processes look for one.
    app = await openTestApp({
      database,
      watch: false,
      clock: new ManualClock(new Date()),
      env: { PUBLIC_URL: urls[0] },
    });
    merchant = await app.newMerchant();
    owner = await addUser(app, [merchant]);
    processes = await Promise.all(ports.map((port) => SatlineProcess.start({ ...environment, PORT: String(port) })));
    // The authorization server is read when the first client comes.
    await Promise.all(urls.map((url) => fetch(`${url}/.well-known/oauth-authorization-server`)));
  });
  afterAll(async () => {
    await Promise.all((processes ?? []).map((one) => one.end('SIGTERM')));
    await app?.close();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  /** Somebody has agreed: the code, and the same client at each process. */
  async function agreed(): Promise<{ code: string; twins: Assistant[] }> {
    const assistant = new Assistant(app);
    await assistant.register();
    await assistant.signIn(owner);
    const url = await assistant.consent({ answer: 'allow', merchant: merchant.id, mode: 'test' });
    const twins = urls.map((process) => {
      const twin = assistant.at(app);
      twin.moveTo({ app: doorTo(process) });
      return twin;
    });
    return { code: url.searchParams.get('code')!, twins };
  }

  /** What a token opens at either. */
  const opened = async (token: string) =>
    (await Promise.all(urls.map((url) => callOver(url, token, 'GET', '/m/catalog')))).map(({ status }) => status);

  test('redeem a code once between them; sent twice, it takes the connection with it (RFC 6749, 10.5)', async () => {
    for (let round = 0; round < 3; round++) {
      const { code, twins } = await agreed();
      const answers = await Promise.all([...twins, ...twins].map((twin) => twin.redeem(code)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBeLessThanOrEqual(1);
      for (const { status, body } of answers)
        if (status !== 200) expect([status, body.error]).toEqual([400, 'invalid_grant']);
      for (const { body } of won) expect(await opened(body.access_token)).toEqual([401, 401]);
    }
  });

  test('take a refresh token at once while the leeway lasts, from its first use on; later it ends the connection', async () => {
    const { code, twins } = await agreed();
    const { body: first } = await twins[0]!.redeem(code);
    const answers = await Promise.all([...twins, ...twins].map((twin) => twin.refresh(first.refresh_token)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const tokens = answers.map(({ body }) => body.access_token as string);
    expect(new Set(tokens).size).toBe(4);
    for (const token of tokens) expect(await opened(token)).toEqual([200, 200]);

    const aged = await app.rows(
      `update oauth_artifacts set consumed_at = consumed_at - $1 * interval '1 second'
        where client_id = $2 and model = 'RefreshToken' and consumed_at is not null returning 1`,
      [refreshLeewaySeconds, twins[0]!.clientId],
    );
    expect(aged).toHaveLength(1);
    const late = await Promise.all(twins.map((twin) => twin.refresh(first.refresh_token)));
    for (const { status, body } of late) expect([status, body.error]).toEqual([400, 'invalid_grant']);
    // Each process trusts a token that it has just seen for a second.
    await until(async () => (await Promise.all(tokens.map(opened))).flat().every((status) => status === 401), 5000);
  });
});
