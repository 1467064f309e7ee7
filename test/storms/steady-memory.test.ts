import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../harness/database.ts';
import { Receiver } from '../harness/receiver.ts';
import { reportFigures } from './figures.ts';
import { callOver, readDemoKeys, SatlineProcess } from './process.ts';
import { dice, firstSeed, soak } from './seeds.ts';
import { Traffic } from './traffic.ts';

const minutes = Number(process.env.MINUTES ?? 60);
const workers = 16;
/** Of each worker, between two acts. */
const pauseMillis = 500;
const sampleMillis = 5000;
/** Memory rises while caches fill and the compiler works: what is compared is after the first third, and the end. */
const settled = 1 / 3;
const lastPart = 1 / 6;

if (!soak) console.log('SKIPPED: an hour of real time is watched; run it with SOAK=1');

let database: TestDatabase;
let receiver: Receiver;
const dataDir = mkdtempSync(join(tmpdir(), 'satline-memory-'));

beforeAll(async () => {
  if (!soak) return;
  database = await createEmptyDatabase();
  receiver = await Receiver.open();
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await receiver?.close();
  await database?.drop();
});

interface Sample {
  heap: number;
  resident: number;
}

test.skipIf(!soak)(
  `memory stays what it was through ${minutes} minutes of all kinds of calls`,
  { timeout: minutes * 60_000 + 120_000 },
  async () => {
    const seed = firstSeed();
    console.log(`SEED=${seed}`);
    const env = { ...database.env, DATA_DIR: database.env.DATA_DIR ?? dataDir };
    const satline = await SatlineProcess.start({
      ...env,
      METRICS_TOKEN: 'metrics',
      TRUST_PROXY: '127.0.0.1',
      ALLOW_PRIVATE_NETWORKS: 'true',
    });
    const { secret_key: key } = await readDemoKeys(env.DATA_DIR);
    await callOver(satline.baseUrl, key, 'POST', '/m/webhooks', { webhook: { url: receiver.url, events: ['*'] } });
    const traffic = new Traffic(satline.baseUrl, key, dice(seed));

    const samples: Sample[] = [];
    const end = performance.now() + minutes * 60_000;
    const work = async () => {
      while (performance.now() < end) {
        await traffic.act();
        await sleep(pauseMillis);
      }
    };
    const watch = async () => {
      while (performance.now() < end) {
        samples.push(await measure(satline.baseUrl));
        receiver.received.length = 0;
        await sleep(sampleMillis);
      }
    };
    await Promise.all([watch(), ...Array.from({ length: workers }, work)]);
    expect(await satline.end('SIGTERM')).toBe(0);

    console.log(Object.fromEntries(traffic.statuses));
    const part = Math.floor(samples.length * lastPart);
    const start = Math.floor(samples.length * settled);
    const [before, after] = [samples.slice(start, start + part), samples.slice(-part)].map(levelOf);
    reportFigures(
      `memory over ${minutes} minutes of all kinds of calls`,
      `${traffic.answers} answers; heap ${inMegabytes(before!.heap, after!.heap)}, ` +
        `resident ${inMegabytes(before!.resident, after!.resident)}`,
      seed,
    );
    // What was measured is told all the same, and why they failed stands in the log.
    expect(
      [...traffic.statuses.keys()].filter((status) => status >= 500),
      satline.output.slice(-20_000),
    ).toEqual([]);
    expect(after!.heap).toBeLessThan(before!.heap * 1.1);
    expect(after!.resident).toBeLessThan(before!.resident * 1.1);
  },
);

const inMegabytes = (...bytes: number[]) => `${bytes.map((one) => Math.round(one / 1e6)).join(' → ')} MB`;

/** What stays: the heap right after it was cleaned, and what the process had in the middle. */
function levelOf(samples: readonly Sample[]): Sample {
  const resident = samples.map((sample) => sample.resident).sort((a, b) => a - b);
  return { heap: Math.min(...samples.map(({ heap }) => heap)), resident: resident[resident.length >> 1]! };
}

async function measure(baseUrl: string): Promise<Sample> {
  const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: 'Bearer metrics' } });
  const text = await answer.text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
  return { heap: read('satline_nodejs_heap_size_used_bytes'), resident: read('satline_process_resident_memory_bytes') };
}
