import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { secretsKey } from '../harness/database.ts';
import { until } from '../harness/until.ts';
import { expectBooksToMatch } from './books.ts';
import { Cluster, findPostgresPrograms } from './cluster.ts';
import { reportFigures } from './figures.ts';
import { endLeases } from './leases.ts';
import { readDemoKeys, SatlineProcess } from './process.ts';
import { dice, firstSeed, soak } from './seeds.ts';
import { Till } from './till.ts';

const restarts = Number(process.env.RESTARTS ?? (soak ? 50 : 2));
const workers = 8;
const bin = findPostgresPrograms();
const wanted = process.env.TEST_DATABASE_URL !== undefined;
if (!wanted) console.log('SKIPPED: it stops a PostgreSQL; set TEST_DATABASE_URL');
if (wanted && !bin) {
  if (process.env.CI) throw new Error('PostgreSQL’s own programs are missing; .ci/run installs them');
  console.log('SKIPPED: PostgreSQL’s own programs (pg_ctl) are needed to restart a server');
}

let cluster: Cluster | undefined;
const dataDir = mkdtempSync(join(tmpdir(), 'satline-restart-'));

beforeAll(async () => {
  if (wanted && bin) cluster = await Cluster.start(bin);
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await cluster?.remove();
});

test.skipIf(!wanted || !bin)(
  `PostgreSQL goes away and comes back ${restarts} times under load: nothing is lost or doubled`,
  {
    timeout: 120_000 + restarts * 60_000,
  },
  async () => {
    const seed = firstSeed();
    console.log(`SEED=${seed} (${restarts} restarts)`);
    const roll = dice(seed);
    const database = { env: { DATABASE_URL: cluster!.url, SECRETS_KEY: secretsKey }, drop: async () => {} };
    const satline = await SatlineProcess.start({ ...database.env, DATA_DIR: dataDir });
    // While the database is away calls end in an error that says so, and are sent again.
    const till = new Till(roll, (await readDemoKeys(dataDir)).secret_key, [500, 503]);
    const recoveries: number[] = [];
    const untilSold = (count: number) =>
      until(() => {
        if (satline.ended) throw new Error(`Satline ended with its database: ${satline.errors}`);
        return till.made.size >= count;
      }, 30_000);
    for (let restart = 0; restart < restarts; restart++) {
      const work = till.work(satline.baseUrl, workers);
      const before = till.made.size;
      await untilSold(before + workers);
      await sleep(roll.below(500));
      await cluster!.down(roll.chance(0.5) ? 'immediate' : 'fast');
      await sleep(roll.below(1000));
      await cluster!.up();
      const up = performance.now();
      const then = till.made.size;
      await untilSold(then + 1);
      recoveries.push(performance.now() - up);
      till.stop();
      await work;
    }
    await endLeases(database);
    await till.finish(satline.baseUrl);
    expect(satline.ended).toBe(false);
    // Of connections that were lost, the log says why, not all that the driver kept of them.
    expect(satline.output).toContain('database connection lost');
    expect(satline.output).not.toContain('secretKey');
    expect(await satline.end('SIGTERM')).toBe(0);
    await expectBooksToMatch(database, till);
    recoveries.sort((a, b) => a - b);
    reportFigures(
      `PostgreSQL restarted ${restarts} times under load`,
      `${till.made.size} orders and ${till.paid.size} payments acknowledged, 0 lost, 0 doubled; selling again after ` +
        `${Math.round(recoveries[recoveries.length >> 1]!)} ms in the middle, ${Math.round(recoveries.at(-1)!)} ms at most`,
      seed,
    );
  },
);
