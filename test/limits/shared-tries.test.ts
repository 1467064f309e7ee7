import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createSharedTries } from '../../src/limits/shared-tries.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { onPostgres } from '../harness/database.ts';
import { addUser } from '../harness/people.ts';

let app: TestApp;
/** A second process on the same database. */
let other: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  const database = { ...app.database, drop: async () => {} };
  if (onPostgres) other = await openTestApp({ watch: false, database, clock: app.clock });
});
afterAll(async () => {
  await other?.close();
  await app.close();
});

const now = new Date('2027-03-01T10:00:00.000Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const limit = { name: 'guess', most: 3, windowSeconds: 60 };
const open = () => createSharedTries({ ...app.parts, log: silentLog }, limit);

test.runIf(onPostgres)('tries are counted together, also at the same instant, and forgotten together', async () => {
  const [one, two] = [open(), open()];
  const waits = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).take('a', now)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
  expect(waits.filter((wait) => wait === 60)).toHaveLength(5);
  expect(await two.take('b', now)).toBe(0);
  // A try that was refused does not count: the first three are what is waited for.
  expect(await one.take('a', later(59))).toBe(1);
  expect(await one.take('a', later(60))).toBe(0);
  for (const wait of [0, 0, 60]) expect(await two.take('a', later(60))).toBe(wait);
  await one.forget('a');
  expect(await two.take('a', later(61))).toBe(0);
});

test.runIf(onPostgres)('no table tells what was tried', async () => {
  await open().take('ada@example.com', now);
  const rows = await app.rows<{ subject: string }>('select subject from tries');
  expect(rows.length).toBeGreaterThan(0);
  const text = JSON.stringify(rows);
  expect(text).not.toContain('ada');
  // Nor to somebody who hashes all the addresses he can think of.
  expect(text).not.toContain(createHash('sha256').update('ada@example.com').digest('base64url'));
});

test('while the database does not answer, each process goes on by itself, with one warning', async () => {
  const warn = vi.fn();
  const gone = async () => {
    throw new Error('the database is away');
  };
  const away = { engine: 'postgres', maybeOne: gone, run: gone } as unknown as Database;
  const tries = createSharedTries({ db: away, log: { ...silentLog, warn }, sealer: app.parts.sealer }, limit);
  const waits = [];
  for (let i = 0; i < 4; i++) waits.push(await tries.take('a', now));
  expect(waits).toEqual([0, 0, 0, 60]);
  await tries.forget('a');
  expect(await tries.take('a', now)).toBe(0);
  expect(warn).toHaveBeenCalledTimes(1);
});

test.runIf(onPostgres)('guessers have ten tries for an account at all processes together', async () => {
  const person = await addUser(app, []);
  const signIn = async (one: TestApp, index: number, typed: string) =>
    (
      await one.app.inject({
        method: 'POST',
        url: '/api/v1/m/sessions',
        remoteAddress: `198.51.100.${index}`,
        payload: { email: person.email, password: typed },
      })
    ).statusCode;
  const statuses = [];
  for (let i = 0; i < 12; i++) statuses.push(await signIn(i % 2 ? app : other, i, 'wrong guess'));
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  app.clock.advanceSeconds(901);
  // The right password at one of them gives the tries back at both.
  for (const one of [app, other]) {
    for (let i = 0; i < 3; i++) expect(await signIn(one, i, 'wrong guess')).toBe(401);
    expect(await signIn(one, 0, person.password)).toBe(200);
  }
});
