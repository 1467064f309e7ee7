import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { orderBody } from '../harness/orders.ts';
import { Receiver } from '../harness/receiver.ts';
import { endLeases } from './leases.ts';
import { callOver, type DemoKeys, readDemoKeys, SatlineProcess } from './process.ts';

/** C051: a service that ends with deliveries under way takes them up after its next start. */
let database: TestDatabase;
let dataDir: string;
let satline: SatlineProcess;
let keys: DemoKeys;
let receiver: Receiver;
let webhookId: string;

const start = () => SatlineProcess.start({ DATA_DIR: dataDir, ALLOW_PRIVATE_NETWORKS: 'true', ...database.env });
const call = (method: 'GET' | 'POST', path: string, body?: unknown) =>
  callOver(satline.baseUrl, keys.secret_key, method, path, body);

beforeEach(async () => {
  database = await createTestDatabase();
  dataDir = database.env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'satline-restart-'));
  satline = await start();
  keys = await readDemoKeys(dataDir);
  receiver = await Receiver.open();
  const made = await call('POST', '/m/webhooks', { webhook: { url: receiver.url, events: ['order.created'] } });
  expect(made.status).toBe(201);
  webhookId = made.body.id;
});
afterEach(async () => {
  await satline.end('SIGKILL');
  await receiver.close();
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Twenty orders while the receiver does not answer. @returns once as much is under way as may be. */
async function twentyUnderWay(): Promise<void> {
  receiver.answer = () => {};
  const made = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/m/orders', orderBody())));
  expect(made.every(({ status }) => status === 201)).toBe(true);
  await receiver.wait(4);
}

/** Answers from now on, and waits until every event has been answered. @returns how long that took, in seconds. */
async function untilAllAreAnswered(): Promise<number> {
  const startedAt = performance.now();
  const answered = new Set<string>();
  const before = receiver.received.length;
  receiver.answer = (response, { event }) => {
    answered.add(event.id);
    response.writeHead(200).end();
  };
  satline = await start();
  for (let count = before + 1; answered.size < 20; count += 1) await receiver.wait(count);
  return (performance.now() - startedAt) / 1000;
}

test('TERM waits a bounded time and gives back what is left: it goes out right after the start', async () => {
  await twentyUnderWay();
  const startedAt = performance.now();
  expect(await satline.end('SIGTERM')).toBe(0);
  expect((performance.now() - startedAt) / 1000).toBeLessThan(9);
  const seconds = await untilAllAreAnswered();
  console.log(`after TERM: all 20 answered ${seconds.toFixed(1)} s after the start`);
  // Sooner than any lease or retry would have let it.
  expect(seconds).toBeLessThan(20);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(20);
}, 120_000);

test('after kill -9 every event comes at least once under its own id, those under way with the end of their lease', async () => {
  await twentyUnderWay();
  await satline.end('SIGKILL');
  await endLeases(database);
  const seconds = await untilAllAreAnswered();
  console.log(`after kill -9: all 20 answered ${seconds.toFixed(1)} s after the start`);
  expect(seconds).toBeLessThan(45);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(20);
  const { data } = (await call('GET', `/m/webhooks/${webhookId}/deliveries`)).body;
  // A lost lease is no failed attempt. The last outcome may still be on its way to the database.
  expect(data.every(({ attempts }: { attempts: number }) => attempts <= 1)).toBe(true);
}, 120_000);
