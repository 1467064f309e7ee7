import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Handle } from '../../src/db/database.ts';
import { gatheredRead } from '../../src/db/gathered-read.ts';

const db = {} as Handle;
const other = {} as Handle;

function recording(answer: (keys: readonly string[]) => Map<string, { of: string }>, options = {}) {
  const asked: { handle: Handle; keys: readonly string[] }[] = [];
  const read = gatheredRead<string, { of: string }>(
    (key) => key,
    async (handle, keys) => {
      asked.push({ handle, keys });
      await sleep(1);
      return answer(keys);
    },
    options,
  );
  return { asked, read };
}
const all = (keys: readonly string[]) => new Map(keys.map((key) => [key, { of: key }]));

test('what is asked for in one turn is asked once, each key once', async () => {
  const { asked, read } = recording(all);
  const found = await Promise.all([read(db, 'a'), read(db, 'b'), read(db, 'a')]);
  expect(found.map((one) => one?.of)).toEqual(['a', 'b', 'a']);
  expect(found[0]).toBe(found[2]);
  expect(asked).toEqual([{ handle: db, keys: ['a', 'b'] }]);
});

test('who asks later is not answered by what was asked before', async () => {
  const { asked, read } = recording(all);
  const first = read(db, 'a');
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.resolve();
  const second = read(db, 'a');
  expect(await first).not.toBe(await second);
  expect(asked).toHaveLength(2);
});

test('one at a time, those who come while it is under way share the next, also when it fails', async () => {
  let fails = true;
  const { asked, read } = recording(
    (keys) => {
      if (!fails) return all(keys);
      fails = false;
      throw new Error('gone');
    },
    { oneAtATime: true },
  );
  const first = read(db, 'a').catch((error: Error) => error.message);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.resolve();
  const later = [read(db, 'a'), read(db, 'b')];
  await new Promise((resolve) => setImmediate(resolve));
  later.push(read(db, 'c'));
  expect(await first).toBe('gone');
  expect((await Promise.all(later)).map((one) => one?.of)).toEqual(['a', 'b', 'c']);
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b', 'c']]);
});

test('a transaction is never asked with somebody else’s handle', async () => {
  const { asked, read } = recording(all);
  await Promise.all([read(db, 'a'), read(other, 'a')]);
  expect(asked.map(({ handle }) => handle)).toEqual([db, other]);
});

test('what does not exist is undefined, and a failure reaches everybody who asked', async () => {
  const { read } = recording(() => new Map());
  expect(await read(db, 'a')).toBeUndefined();
  const failing = recording(() => {
    throw new Error('gone');
  });
  const outcomes = await Promise.allSettled([failing.read(db, 'a'), failing.read(db, 'b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
