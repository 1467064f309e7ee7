import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Database, dynamicStatement } from '../../src/db/database.ts';
import { openEmbeddedDatabase } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { exportDatabase } from '../../src/db/transfer/export.ts';
import { importDatabase } from '../../src/db/transfer/import.ts';
import { checkLedger } from '../../src/flows/check-ledger.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openSealer } from '../../src/open-sealer.ts';
import { readSecretsKeys } from '../../src/secrets-keys.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import { secretsKey } from '../harness/database.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';

const folder = mkdtempSync(join(tmpdir(), 'satline-transfer-'));
const file = join(folder, 'export.jsonl.gz');
const keys = await readSecretsKeys(readConfig({ SECRETS_KEY: secretsKey, DATA_DIR: folder }), true);

let app: TestApp;
let merchant: TestMerchant;
let pending: { id: string; invoice: { id: string } };
beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  // Text that trips careless formats: quotes, backslashes, tabs, line ends, emoji, nulls, long JSON.
  const metadata = { 'a"b\\c': '\t\n\r\u2028 ☕ \\N', list: [1, null, { deep: true }], big: 9007199254740991 };
  await createOrder(merchant.test, { metadata, customer_email: 'a+b@exämple.de' });
  await merchant.test.post('/api/v1/m/orders', orderBody({ tender_type: 'cash' }, { mark_as_paid: true }));
  const paid = await createOrderWithInvoice(merchant.test);
  await merchant.test.post(`/api/v1/m/invoices/${paid.invoice.id}/simulate_payment`);
  pending = await createOrderWithInvoice(merchant.test, {});
  await merchant.test.post('/api/v1/m/orders', orderBody(), { 'idempotency-key': 'kept' });
  await merchant.narrowed('orders:read', 'payments:read');
  await exportTo(app.parts.db, file);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

function exportTo(db: Database, path: string) {
  return exportDatabase(db, createWriteStream(path), { exportedAt: app.clock.now() });
}

async function withFreshDatabase<T>(name: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await openEmbeddedDatabase({ dir: join(folder, name), log: silentLog });
  try {
    await migrate(db);
    return await work(db);
  } finally {
    await db.close();
  }
}

const verify = async (tx: Parameters<typeof openSealer>[0]) => void (await openSealer(tx, keys));
const importFrom = (db: Database, path: string) => importDatabase(db, createReadStream(path), { verify });

/** All lines but those that may differ: the header's moment, and the events, whose transaction numbers are new. */
function comparable(path: string): string[] {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n');
  let table = '';
  return lines.filter((line) => {
    const entry = line === '' ? {} : JSON.parse(line);
    if (entry.kind === 'table') table = entry.table;
    return entry.satline !== 'export' && entry.kind !== 'end' && !(entry.kind === 'row' && table === 'events');
  });
}

describe('to a fresh embedded database and back', () => {
  test('every row, sequence and seal arrives as it was', async () => {
    const [first, second] = [join(folder, 'first.jsonl.gz'), join(folder, 'second.jsonl.gz')];
    await withFreshDatabase('there', async (db) => {
      const { rows } = await importFrom(db, file);
      expect(rows.orders).toBe(5);
      expect(await checkLedger(db)).toEqual([]);
      await exportTo(db, first);
    });
    expect(comparable(first)).toEqual(comparable(file));

    const again = await openTestApp();
    try {
      await importFrom(again.parts.db, first);
      await exportTo(again.parts.db, second);
      expect(comparable(second)).toEqual(comparable(file));
      // The imported shop goes on where it was: keys, numbers, open invoices, remembered answers.
      const client = new Client(again.app, merchant.test.key, merchant.test.id);
      again.clock.set(app.clock.now());
      const paid = await client.post(`/api/v1/m/invoices/${pending.invoice.id}/simulate_payment`);
      expect(paid.status).toBe(200);
      expect((await client.get(`/api/v1/m/orders/${pending.id}`)).body.status).toBe('paid');
      const numbers = (await client.get('/api/v1/m/orders')).body.data.map(
        (order: { order_number: string }) => order.order_number,
      );
      const next = await createOrder(client);
      expect(numbers).not.toContain(next.order_number);
      const replay = await client.post('/api/v1/m/orders', orderBody(), { 'idempotency-key': 'kept' });
      expect(replay.headers['idempotent-replayed']).toBe('true');
      expect(await checkLedger(again.parts.db)).toEqual([]);
    } finally {
      await again.close();
    }
  });
});

describe('refuses, and leaves the database empty', () => {
  const lines = () => gunzipSync(readFileSync(file)).toString().split('\n');
  const damaged = (change: (lines: string[]) => string[]) => {
    const path = join(folder, 'damaged.jsonl.gz');
    writeFileSync(path, gzipSync(change(lines()).join('\n')));
    return path;
  };

  const changes: [string, (all: string[]) => string[], RegExp][] = [
    ['a changed value', (all) => all.map((line) => line.replace('a+b@', 'x+b@')), /The rows of \w+ are not those/],
    ['a missing row', (all) => all.filter((line) => !line.includes('a+b@')), /The rows of \w+ are not those/],
    ['a file cut short', (all) => all.slice(0, -2), /ends too early/],
    ['another schema', (all) => [all[0]!.replace('"schema":[1', '"schema":[0,1'), ...all.slice(1)], /another version/],
    ['no export at all', () => ['{"hello":1}'], /no Satline export/],
    ['text', () => ['hello'], /damaged/],
  ];
  test(changes.map(([name]) => name).join(', '), async () => {
    await withFreshDatabase('refused', async (db) => {
      for (const [name, change, reason] of changes) {
        await expect(importFrom(db, damaged(change)), name).rejects.toThrow(reason);
        const [row] = await db.many<{ count: number }>(dynamicStatement('select count(*) as count from merchants'));
        expect(row!.count, name).toBe(0);
      }
    });
  });

  test('a file whose last bytes are missing, and one that is no gzip', async () => {
    const cut = join(folder, 'cut.jsonl.gz');
    writeFileSync(cut, readFileSync(file).subarray(0, -200));
    const plain = join(folder, 'plain.jsonl');
    writeFileSync(plain, '{"satline":"export"}');
    await withFreshDatabase('cut', async (db) => {
      await expect(importFrom(db, cut)).rejects.toThrow(/damaged/);
      await expect(importFrom(db, plain)).rejects.toThrow(/damaged/);
    });
  });

  test('a database that has merchants, and another secrets key', async () => {
    await expect(importFrom(app.parts.db, file)).rejects.toThrow(/has merchants already/);
    await withFreshDatabase('other key', async (db) => {
      const other = { current: Buffer.alloc(32, 0x22), previous: [] };
      const attempt = importDatabase(db, createReadStream(file), {
        verify: async (tx) => void (await openSealer(tx, other)),
      });
      await expect(attempt).rejects.toThrow(/secrets key is not the one/);
    });
  });
});
