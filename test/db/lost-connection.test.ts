import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, dynamicStatement, type Handle } from '../../src/db/database.ts';
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

describe.skipIf(!onPostgres)('a connection that the server ends', () => {
  test.each([
    ['in a transaction', () => db.transaction((tx) => endSession(tx))],
    ['in a snapshot', () => db.snapshot((tx) => endSession(tx))],
    ['under a single statement', () => endSession(db)],
  ])('%s fails what ran on it, and nothing else', async (_where, work) => {
    await expect(work()).rejects.toThrow();
    expect(await db.maybeOne(dynamicStatement('select 1 as it'))).toEqual({ it: 1 });
    expect(await db.transaction((tx) => tx.maybeOne(dynamicStatement('select 2 as it')))).toEqual({ it: 2 });
    expect(uncaught).toEqual([]);
  });
});
