import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nextLookAt } from '../../src/flows/look-plan.ts';
import { addSeconds } from '../../src/kernel/clock.ts';
import { createEmptyDatabase, type TestDatabase } from '../harness/database.ts';
import { orderBody } from '../harness/orders.ts';
import { expectBooksToMatch } from './books.ts';
import { reportFigures } from './figures.ts';
import { callOver, readDemoKeys, SatlineProcess } from './process.ts';
import { dice, soak } from './seeds.ts';
import { Till } from './till.ts';

const invoices = 1000;
const watchedSeconds = 60;

if (!soak) console.log('SKIPPED: a minute of real time is watched; run it with SOAK=1');

let database: TestDatabase;
const dataDir = mkdtempSync(join(tmpdir(), 'satline-pending-'));

beforeAll(async () => {
  if (soak) database = await createEmptyDatabase();
});
afterAll(async () => {
  rmSync(dataDir, { recursive: true, force: true });
  await database?.drop();
});

test.skipIf(!soak)(
  `${invoices} invoices waiting in one process are looked at as planned, and all get paid`,
  {
    timeout: 600_000,
  },
  async () => {
    const env = { ...database.env, DATA_DIR: database.env.DATA_DIR ?? dataDir, METRICS_TOKEN: 'metrics' };
    const satline = await SatlineProcess.start(env);
    const { secret_key: key } = await readDemoKeys(env.DATA_DIR);
    const made: { id: string; invoiceId: string; at: number }[] = [];
    const till = new Till(dice(1), key);
    await inParallel(8, invoices, async (index) => {
      const order = orderBody({ po_number: `sale-${index}` }, { generate_invoice: true });
      const { status, body } = await callOver(satline.baseUrl, key, 'POST', '/m/orders', order);
      expect(status).toBe(201);
      made.push({ id: body.id, invoiceId: body.invoice.id, at: Date.now() });
      till.made.set(`sale-${index}`, { id: body.id, invoiceId: body.invoice.id });
    });
    await sleep(watchedSeconds * 1000);
    const seen = await readMetrics(satline.baseUrl);
    const now = Date.now();
    const planned = made.reduce((sum, { at }) => sum + plannedLooks(Math.floor((now - at) / 1000)), 0);

    const paying = performance.now();
    await inParallel(8, invoices, async (index) => {
      const { id, invoiceId } = made[index]!;
      const { status, body } = await callOver(
        satline.baseUrl,
        key,
        'POST',
        `/m/invoices/${invoiceId}/simulate_payment`,
        {},
      );
      expect(status).toBe(200);
      till.paid.set(id, body.id);
    });
    const paidSeconds = (performance.now() - paying) / 1000;
    expect(await satline.end('SIGTERM')).toBe(0);
    await expectBooksToMatch(database, till);

    // No invoice is looked at more often than planned; few come late.
    expect(seen.looks).toBeLessThanOrEqual(planned * 1.02);
    expect(seen.looks).toBeGreaterThan(planned * 0.8);
    reportFigures(
      `${invoices} pending invoices in one process for ${watchedSeconds} s`,
      `${seen.looks} look-ups, ${planned} planned; ${(seen.onTime * 100).toFixed(1)} % within a second of their time; ` +
        `event loop delay p99 ${Math.round(seen.loopDelaySeconds * 1000)} ms; all paid in ${paidSeconds.toFixed(1)} s`,
    );
  },
);

/** What the plan says for an invoice nobody views, in its first seconds. */
function plannedLooks(seconds: number): number {
  const start = new Date(0);
  const end = addSeconds(start, 900);
  const invoice = {
    created_at: start,
    expires_at: end,
    bolt11_expires_at: end,
    watch_until: addSeconds(end, 8 * 24 * 3600),
    viewed_at: null,
    superseded_at: null,
  };
  let looks = 0;
  for (
    let at: Date | null = addSeconds(start, 2);
    at && at <= addSeconds(start, seconds);
    at = nextLookAt(invoice, at)
  ) {
    looks++;
  }
  return looks;
}

async function readMetrics(baseUrl: string) {
  const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: 'Bearer metrics' } });
  const text = await answer.text();
  const sum = (start: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(start))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  return {
    looks: sum('satline_looks_total'),
    onTime: sum('satline_look_lag_seconds_bucket{le="1"}') / sum('satline_look_lag_seconds_count'),
    loopDelaySeconds: sum('satline_nodejs_eventloop_lag_p99_seconds'),
  };
}

async function inParallel(workers: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let index = next++; index < count; index = next++) await work(index);
    }),
  );
}
