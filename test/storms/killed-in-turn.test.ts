import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, onPostgres, type TestDatabase } from '../harness/database.ts';
import { expectBooksToMatch } from './books.ts';
import { reportFigures } from './figures.ts';
import { endLeases } from './leases.ts';
import { readDemoKeys, SatlineProcess } from './process.ts';
import { dice, firstSeed, soak } from './seeds.ts';
import { Till } from './till.ts';

const kills = Number(process.env.KILLS ?? (soak ? 200 : 4));
const workersEach = 4;
/** How long a process works at most before it is killed. */
const mostWorkMillis = soak ? 1300 : 500;

if (!onPostgres) console.log('SKIPPED: the embedded database belongs to one process; set TEST_DATABASE_URL');

let database: TestDatabase;
const dataDir = mkdtempSync(join(tmpdir(), 'satline-turns-'));

beforeAll(async () => {
  if (onPostgres) database = await createEmptyDatabase();
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await database?.drop();
});

test.skipIf(!onPostgres)(
  `two processes at work, ${kills} kills in turn: nothing is lost, nothing is there twice`,
  {
    timeout: 120_000 + kills * 30_000,
  },
  async () => {
    const seed = firstSeed();
    console.log(`SEED=${seed} (${kills} kills)`);
    const roll = dice(seed);
    const env = { ...database.env, DATA_DIR: dataDir };
    const running = await Promise.all([SatlineProcess.start(env), SatlineProcess.start(env)]);
    const till = new Till(roll, (await readDemoKeys(dataDir)).secret_key);
    const work = running.map(({ baseUrl }) => till.work(baseUrl, workersEach));

    for (let kill = 0; kill < kills; kill++) {
      const turn = kill % 2;
      await sleep(100 + roll.below(mostWorkMillis - 100));
      await running[turn]!.end('SIGKILL');
      await work[turn];
      running[turn] = await SatlineProcess.start(env);
      work[turn] = till.work(running[turn]!.baseUrl, workersEach);
    }
    till.stop();
    await Promise.all(work);
    await endLeases(database);
    await till.finish(running[0]!.baseUrl);
    expect(await Promise.all(running.map((one) => one.end('SIGTERM')))).toEqual([0, 0]);
    await expectBooksToMatch(database, till);
    reportFigures(
      `two processes at work, ${kills} kills in turn`,
      `${till.made.size} orders and ${till.paid.size} payments acknowledged, 0 lost, 0 doubled`,
      seed,
    );
  },
);
