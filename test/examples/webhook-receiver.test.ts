import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../harness/app.ts';
import type { Client } from '../harness/client.ts';
import { createOrder } from '../harness/orders.ts';
import { createWebhook } from '../harness/webhooks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'satline-example-'));
let app: TestApp;
let client: Client;

beforeAll(async () => {
  // As `npm install` would leave it: the example beside the built SDK.
  cpSync(join(root, 'examples/webhook-receiver'), folder, { recursive: true });
  const sdk = join(folder, 'sdk');
  cpSync(join(root, 'packages/sdk'), sdk, { recursive: true, filter: (path) => !path.includes('node_modules') });
  symlinkSync(join(root, 'node_modules'), join(sdk, 'node_modules'));
  const built = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', sdk]);
  expect(built.stdout.toString()).toBe('');
  mkdirSync(join(folder, 'node_modules/@satline'), { recursive: true });
  symlinkSync(sdk, join(folder, 'node_modules/@satline/sdk'));

  app = await openTestApp({ watch: false });
  // The receiver has a clock of its own, the real one.
  app.clock.set(new Date());
  ({ test: client } = await app.newMerchant());
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the example and runs `work` with its address. @returns what it printed. */
async function receiving(secret: string, work: (url: string) => Promise<void>): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: '0' },
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk;
      const found = /listening on (http:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    };
    child.stdout!.on('data', read);
    child.stderr!.on('data', read);
    child.on('exit', () => reject(new Error(output)));
  });
  try {
    await work(url);
  } finally {
    child.removeAllListeners('exit');
    await new Promise((resolve) => {
      child.on('close', resolve);
      child.kill();
    });
  }
  return output;
}

test('takes deliveries with any text, once each, and refuses what is not from us', async () => {
  const webhook = await createWebhook(client, 'http://127.0.0.1:9/', { events: ['order.created', 'order.paid'] });
  const note = '☕ \u2028 é \u001B <b>&</b> \u202e 𝕊 ﷽ 日本 "\\';
  const output = await receiving(`${webhook.secret_key}\n`, async (url) => {
    await client.patch(`/api/v1/m/webhooks/${webhook.id}`, { webhook: { url } });
    app.clock.set(new Date());
    const { id } = await createOrder(client, { tender_type: 'cash', metadata: { note } });
    await client.patch(`/api/v1/m/orders/${id}`, { order: { status: 'paid' } });
    await app.deliverDue();
    await client.post(`/api/v1/m/webhooks/${webhook.id}/redeliver`, { since: '2020-01-01' });
    await app.deliverDue();
    const forged = await fetch(url, { method: 'POST', body: '{"event":"order.paid"}' });
    expect(forged.status).toBe(400);
    expect((await fetch(url)).status).toBe(405);
  });
  const { data } = (await client.get(`/api/v1/m/webhooks/${webhook.id}/deliveries`)).body;
  expect(data.map(({ status, attempts }: { status: string; attempts: number }) => [status, attempts])).toEqual([
    ['delivered', 2],
    ['delivered', 2],
  ]);
  // The two events of an order may change places.
  expect(output.trim().split('\n').slice(1).sort()).toEqual([
    'event: order.created',
    `paid: ORD-000001, note: ${JSON.stringify(note)}`,
    'refused: missing_signature',
  ]);
});
