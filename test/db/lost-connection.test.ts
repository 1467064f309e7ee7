import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, dynamicStatement, type Handle, statement } from '../../src/db/database.ts';
import { runSnapshot, runTransaction } from '../../src/db/transaction.ts';
import { DatabaseUnavailable } from '../../src/kernel/database-errors.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { onPostgres } from '../harness/database.ts';

if (!onPostgres) console.log('SKIPPED: the embedded engine has no session to end; set TEST_DATABASE_URL');

let app: TestApp;
let db: Database;
const uncaught: unknown[] = [];
const note = (error: unknown) => void uncaught.push(error);

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  db = app.parts.db;
  process.on('uncaughtExceptionMonitor', note);
});
afterAll(async () => {
  process.off('uncaughtExceptionMonitor', note);
  await app.close();
});

const endSession = (handle: Handle) =>
  handle.many(dynamicStatement('select pg_terminate_backend(pg_backend_pid()), pg_sleep(5)'));

const ownSession = statement('test_own_session', 'select pg_backend_pid() as pid');
const outside = AsyncLocalStorage.snapshot();
/** From another one, so that COMMIT is the first to notice. */
async function endFromOutside(tx: Handle): Promise<number> {
  const { pid } = (await tx.maybeOne<{ pid: number }>(ownSession, []))!;
  const end = dynamicStatement('select pg_terminate_backend($1::integer, 5000)');
  await outside(() => db.many(end, [pid]));
  return pid;
}

describe.skipIf(!onPostgres)('a connection that is gone when the transaction ends', () => {
  test('leaves what was read', async () => {
    expect(await db.transaction(endFromOutside)).toBeGreaterThan(0);
  });

  test('fails what was written', async () => {
    const write = dynamicStatement(`insert into settings (key, value) values ('lost', '')`);
    const work = db.transaction(async (tx) => {
      await tx.run(write);
      return endFromOutside(tx);
    });
    await expect(work).rejects.toThrow(DatabaseUnavailable);
    expect(await db.many(dynamicStatement(`select from settings where key = 'lost'`))).toEqual([]);
    expect(uncaught).toEqual([]);
  });
});

describe.skipIf(!onPostgres)('a connection that the server ends', () => {
  test.each([
    ['in a transaction', () => db.transaction((tx) => endSession(tx))],
    ['in a snapshot', () => db.snapshot((tx) => endSession(tx))],
    ['under a single statement', () => endSession(db)],
  ])('%s fails what ran on it, and nothing else', async (_where, work) => {
    await expect(work()).rejects.toThrow(DatabaseUnavailable);
    expect(await db.maybeOne(dynamicStatement('select 1 as it'))).toEqual({ it: 1 });
    expect(await db.transaction((tx) => tx.maybeOne(dynamicStatement('select 2 as it')))).toEqual({ it: 2 });
    expect(uncaught).toEqual([]);
  });
});

describe.skipIf(!onPostgres)('a connection that is gone before anything begins on it', () => {
  test.each([
    ['a transaction', runTransaction],
    ['a snapshot', runSnapshot],
  ])('%s says that the database is away', async (_what, run) => {
    const connect = async () => {
      const client = new pg.Client({ connectionString: app.database.env.DATABASE_URL! });
      client.on('error', () => {});
      await client.connect();
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const gone = new Promise((resolve) => client.once('end', resolve));
      await db.many(dynamicStatement('select pg_terminate_backend($1::integer, 5000)'), [rows[0]!.pid]);
      await gone;
      return Object.assign(client, { release() {} });
    };
    const support = { guarded: false, connect, wake() {}, outcomeOf: async () => undefined };
    const work = run(support, (handle) => handle.many(ownSession));
    await expect(work).rejects.toThrow(DatabaseUnavailable);
  });
});
