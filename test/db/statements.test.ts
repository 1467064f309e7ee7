import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, dynamicStatement, sqlState, statement } from '../../src/db/database.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';

let app: TestApp;
let db: Database;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  db = app.parts.db;
});
afterAll(() => app.close());

const one = async (text: string, ...values: unknown[]) =>
  (await db.maybeOne<{ it: unknown }>(dynamicStatement(text), values))!.it;

test.each([
  ['2027-03-01T10:00:00.000Z', '2027-03-01 10:00:00+00'],
  ['1969-12-31T23:59:59.999Z', '1969-12-31 23:59:59.999+00'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31 23:59:59.999+00'],
  ['+010000-01-01T13:59:00.000Z', '10000-01-01 13:59:00+00'],
  ['0001-01-01T00:00:00.000Z', '0001-01-01 00:00:00+00'],
  ['0000-12-31T00:00:00.000Z', '0001-12-31 00:00:00+00 BC'],
  ['-000043-03-15T00:00:00.000Z', '0044-03-15 00:00:00+00 BC'],
])('the moment %s goes out and comes back', async (iso, text) => {
  const moment = new Date(iso);
  expect(await one('select $1::timestamptz::text as it', moment)).toBe(text);
  expect(await one('select $1::timestamptz as it', moment)).toEqual(moment);
});

test('every moment comes back to the millisecond, however many digits of a second it has', async () => {
  const micros = fc.tuple(
    fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true }),
    fc.integer({ min: 0, max: 999 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(micros, { minLength: 1, maxLength: 50 }), async (moments) => {
      const texts = moments.map(
        ([date, rest]) => `${date.toISOString().slice(0, -1)}${String(rest).padStart(3, '0')}Z`,
      );
      const rows = await db.many<{ it: Date }>(dynamicStatement('select unnest($1::timestamptz[]) as it'), [texts]);
      expect(rows.map(({ it }) => it)).toEqual(moments.map(([date]) => date));
    }),
    { numRuns: 40 },
  );
});

test('a date that is none is refused before anything is sent', async () => {
  await expect(one('select $1::timestamptz as it', new Date(Number.NaN))).rejects.toThrow(RangeError);
  expect(await one('select 1 as it')).toBe(1);
});

test('lists keep every character, nulls and emptiness', async () => {
  const texts = ['', ' ', 'NULL', null, 'a"b', 'c\\d', '{e,f}', 'g\nh', '☕'];
  expect(await one('select $1::text[] as it', texts)).toEqual(texts);
  expect(await one('select $1::text[] as it', [])).toEqual([]);
  expect(await one('select $1::bigint[]::text as it', [1, 2, 3])).toBe('{1,2,3}');
  expect(await one('select ($1::timestamptz[])[1] as it', [new Date(0)])).toEqual(new Date(0));
});

test('bytes, JSON, truth and large numbers', async () => {
  expect(await one('select $1::bytea as it', Buffer.from([0, 255, 92]))).toEqual(Buffer.from([0, 255, 92]));
  expect(await one('select $1::jsonb as it', { a: [1, null] })).toEqual({ a: [1, null] });
  expect(await one('select $1::boolean as it', false)).toBe(false);
  expect(await one('select $1::bigint as it', Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
  expect(await one('select 1.10::numeric as it')).toBe('1.10');
  await expect(one('select 9007199254740992::bigint as it')).rejects.toThrow(/beyond 2\^53-1/);
  expect(await one('select $1::text as it', undefined)).toBeNull();
});

const pair = statement('test_pair', 'select $1::bigint / $2::bigint as it, null::text as nothing');
const nothing = statement('test_nothing', 'update merchants set name = name where false and $1');

test('a prepared statement answers alike however often it runs, failures between', async () => {
  for (let turn = 0; turn < 3; turn++) {
    expect(await db.maybeOne(pair, [6, 3])).toEqual({ it: 2, nothing: null });
    const failed = await db.maybeOne(pair, [6, 0]).catch((error) => error);
    expect(sqlState(failed)).toBe('22012');
    expect(await db.run(nothing, [true])).toBe(0);
  }
  const answers = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => db.many(pair, [index, index % 4])));
  for (const [index, answer] of answers.entries()) {
    if (index % 4 === 0) expect(answer.status).toBe('rejected');
    else
      expect(answer).toEqual({ status: 'fulfilled', value: [{ it: Math.floor(index / (index % 4)), nothing: null }] });
  }
});

test('statements of a transaction that are sent together run in their order', async () => {
  const rows = await db.transaction(async (tx) => {
    await tx.run(dynamicStatement('create temporary table notes (id serial, note text) on commit drop'));
    const write = dynamicStatement('insert into notes (note) values ($1)');
    const [first, second, read] = await Promise.all([
      tx.run(write, ['a']),
      tx.run(write, ['b']),
      tx.many(dynamicStatement('select id, note from notes order by id')),
    ]);
    expect([first, second]).toEqual([1, 1]);
    return read;
  });
  expect(rows).toEqual([
    { id: 1, note: 'a' },
    { id: 2, note: 'b' },
  ]);
});

test('a statement beside the running transaction is refused', async () => {
  await expect(db.transaction(() => db.many(pair, [1, 1]))).rejects.toThrow(/must use the transaction handle/);
});
