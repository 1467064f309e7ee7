import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, onPostgres, type TestDatabase } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { expectBooksToMatch } from './books.ts';
import { reportFigures } from './figures.ts';
import { endLeases } from './leases.ts';
import { callOver, readDemoKeys, SatlineProcess } from './process.ts';
import { dice, firstSeed, soak } from './seeds.ts';
import { Till } from './till.ts';

const kills = Number(process.env.KILLS ?? (soak ? (onPostgres ? 1000 : 300) : 20));
const workers = 8;
/** How long a process works at most before it is killed. */
const mostWorkMillis = soak ? 1250 : 450;

let database: TestDatabase;
let dataDir: string;

beforeAll(async () => {
  database = await createEmptyDatabase();
  dataDir = database.env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'satline-kill-'));
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await database?.drop();
});

test(`${kills} kills under load and a stop in the middle: nothing acknowledged is lost, nothing is there twice`, {
  timeout: 120_000 + kills * 30_000,
}, async () => {
  const seed = firstSeed();
  console.log(`SEED=${seed} (${kills} kills)`);
  const roll = dice(seed);
  const env = { ...database.env, DATA_DIR: dataDir };
  const first = await SatlineProcess.start(env);
  const keys = await readDemoKeys(dataDir);
  const till = new Till(roll, keys.secret_key);
  await first.end('SIGKILL');

  let duringStart = 0;
  const startMillis: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const begun = performance.now();
    const satline = SatlineProcess.spawn(env);
    if (roll.chance(0.15)) {
      // Some die before they have begun.
      await sleep(roll.below(1500));
      await satline.end('SIGKILL');
      duringStart++;
      continue;
    }
    await satline.ready();
    startMillis.push(performance.now() - begun);
    const work = till.work(satline.baseUrl, workers);
    // Most are warm when it happens: a fresh process answers its first calls slowly.
    if (roll.chance(0.8)) await warm(till);
    await sleep(50 + roll.below(mostWorkMillis - 50));
    await satline.end('SIGKILL');
    till.stop();
    await work;
  }

  // A stop in the middle of the load: within 10 s, with code 0, and nothing half-done.
  const stopping = await SatlineProcess.start(env);
  const work = till.work(stopping.baseUrl, workers);
  await warm(till);
  await sleep(500);
  const asked = performance.now();
  expect([await stopping.end('SIGTERM'), stopping.errors]).toEqual([0, '']);
  const stopMillis = performance.now() - asked;
  expect(stopMillis).toBeLessThan(10_000);
  till.stop();
  await work;

  await endLeases(database);
  const last = await SatlineProcess.start(env);
  await till.finish(last.baseUrl);
  // Sent once more with its key, an acknowledged call answers the same order.
  for (const [key, { id }] of [...till.made].slice(-20)) {
    const { body } = await callOver(last.baseUrl, keys.secret_key, 'GET', `/m/orders/${id}`);
    expect([body.po_number, body.status]).toEqual([key, 'paid']);
  }
  expect(await last.end('SIGTERM')).toBe(0);

  await expectBooksToMatch(database, till);
  startMillis.sort((a, b) => a - b);
  reportFigures(
    `${kills} kills under load`,
    `${duringStart} while starting; ${till.made.size} orders and ${till.paid.size} payments acknowledged, 0 lost, ` +
      `0 doubled; starts took ${Math.round(startMillis[startMillis.length >> 1] ?? 0)} ms in the middle, ` +
      `${Math.round(startMillis.at(-1) ?? 0)} ms at most; a stop under load ${Math.round(stopMillis)} ms`,
    seed,
  );
});

/** Resolves when the process has answered as often as there are workers. */
async function warm(till: Till): Promise<void> {
  const before = till.answers;
  await until(() => till.answers >= before + workers, 30_000);
}
