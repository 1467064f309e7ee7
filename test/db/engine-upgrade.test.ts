import { createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite as OldPGlite, type Transaction as OldTransaction } from 'pglite-17';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, dynamicStatement, type Handle } from '../../src/db/database.ts';
import { openEmbeddedDatabase } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { toParameter, typeParsers } from '../../src/db/parameters.ts';
import { exportDatabase } from '../../src/db/transfer/export.ts';
import { importDatabase } from '../../src/db/transfer/import.ts';
import { checkLedger } from '../../src/flows/check-ledger.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openTestApp } from '../harness/app.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

// The way across a new PGlite with another PostgreSQL inside: the Satline that made the data exports it, the new one
// imports. Here the data lies in a PGlite of the PostgreSQL before ours.

const folder = mkdtempSync(join(tmpdir(), 'satline-engine-'));
const oldDirectory = join(folder, 'old', 'pg');
const file = join(folder, 'export.jsonl.gz');

let old: OldPGlite;

beforeAll(async () => {
  const app = await openTestApp({ watch: false });
  try {
    const merchant = await app.newMerchant();
    const paid = await createOrderWithInvoice(merchant.test);
    await merchant.test.post(`/api/v1/m/invoices/${paid.invoice.id}/simulate_payment`);
    await createOrderWithInvoice(merchant.test);
    await exportDatabase(app.parts.db, createWriteStream(file), { exportedAt: app.clock.now() });
  } finally {
    await app.close();
  }
  mkdirSync(join(folder, 'old'));
  old = await OldPGlite.create(oldDirectory);
}, 120_000);
afterAll(async () => {
  if (!old.closed) await old.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what an older engine holds arrives in ours', { timeout: 120_000 }, async () => {
  const before = asDatabase(old);
  const { rows: version } = await old.query<{ server_version: string }>('show server_version');
  expect(version[0]!.server_version).toMatch(/^17\./);
  await migrate(before);
  const carried = await importDatabase(before, createReadStream(file), { verify: async () => {} });

  const fromOld = join(folder, 'from-old.jsonl.gz');
  await exportDatabase(before, createWriteStream(fromOld), { exportedAt: new Date() });
  await old.close();

  const now = await openEmbeddedDatabase({ dir: join(folder, 'new'), log: silentLog });
  try {
    await migrate(now);
    const arrived = await importDatabase(now, createReadStream(fromOld), { verify: async () => {} });
    expect(arrived.rows).toEqual(carried.rows);
    expect(arrived.rows.orders).toBe(2);
    expect(await checkLedger(now)).toEqual([]);
    const [{ major }] = (await now.many(dynamicStatement(`select current_setting('server_version') as major`))) as [
      { major: string },
    ];
    expect(major).toMatch(/^18\./);
  } finally {
    await now.close();
  }
});

test('its directory is refused by ours, with the way out, and stays as it was', async () => {
  if (!old.closed) await old.close();
  await expect(openEmbeddedDatabase({ dir: join(folder, 'old'), log: silentLog })).rejects.toThrow(
    /made by PostgreSQL 17.*Export the data with the Satline that made it and import it into a new directory/,
  );
  expect(existsSync(join(oldDirectory, 'PG_VERSION'))).toBe(true);
  const again = await OldPGlite.create(oldDirectory);
  expect((await again.query('select id from orders')).rows).toHaveLength(2);
  await again.close();
});

/** As much of our database interface as migrations, export and import use. */
function asDatabase(engine: OldPGlite): Database {
  const within = <T>(work: (tx: Handle) => Promise<T>) => engine.transaction((tx) => work(asHandle(tx)));
  return {
    ...asHandle(engine),
    engine: 'embedded',
    transaction: (work) => within((tx) => work({ ...tx, afterCommit: () => {} })),
    snapshot: within,
    onWake: () => () => {},
    close: () => engine.close(),
  };
}

function asHandle(engine: OldPGlite | OldTransaction): Handle {
  const parsers = new Proxy({} as Record<number, (text: string) => unknown>, {
    get: (_, oid) => typeParsers.getTypeParser(Number(oid), 'text'),
  });
  async function send(text: string, values: readonly unknown[] | undefined) {
    if (values === undefined || values.length === 0) {
      const results = await engine.exec(text, { parsers });
      return results.at(-1) ?? { rows: [], affectedRows: 0 };
    }
    // Already text: PGlite must not write it once more.
    const serializers = new Proxy({} as Record<number, (value: string) => string>, {
      get: () => (value: string) => value,
    });
    return engine.query(text, values.map(toParameter), { parsers, serializers } as never);
  }
  return {
    many: async <Row>({ text }: { text: string }, values?: readonly unknown[]) =>
      (await send(text, values)).rows as Row[],
    maybeOne: async <Row>({ text }: { text: string }, values?: readonly unknown[]) =>
      (await send(text, values)).rows[0] as Row | undefined,
    run: async ({ text }, values) => (await send(text, values)).affectedRows ?? 0,
    wake: () => {},
  };
}
