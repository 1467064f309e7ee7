import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Handle } from '../../src/db/database.ts';
import { gatheredRead, type Placed } from '../../src/db/gathered-read.ts';

const db = {} as Handle;
const other = {} as Handle;

function recording(answer: (keys: readonly string[]) => Placed<{ of: string }>[]) {
  const asked: { handle: Handle; keys: readonly string[] }[] = [];
  const read = gatheredRead<string, { of: string }>(
    (key) => key,
    async (handle, keys) => {
      asked.push({ handle, keys });
      await sleep(1);
      return answer(keys);
    },
  );
  return { asked, read };
}

/** After this whoever asked before has been put into a statement. */
async function nextTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.resolve();
}

const all = (keys: readonly string[]) => keys.map((key, index) => ({ place: index + 1, found: { of: key } }));

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
  await nextTurn();
  const second = read(db, 'a');
  expect(await first).not.toBe(await second);
  expect(asked).toHaveLength(2);
});

test('those who come while a statement is under way share the next, also when it fails', async () => {
  const asked: (readonly string[])[] = [];
  let fail: (error: Error) => void = () => {};
  const read = gatheredRead<string, { of: string }>(
    (key) => key,
    (_, keys) => {
      asked.push(keys);
      return asked.length > 1 ? Promise.resolve(all(keys)) : new Promise((_resolve, reject) => (fail = reject));
    },
  );
  const first = read(db, 'a').catch((error: Error) => error.message);
  await nextTurn();
  const later = [read(db, 'a'), read(db, 'b')];
  await nextTurn();
  later.push(read(db, 'c'));
  await nextTurn();
  expect(asked).toEqual([['a']]);
  fail(new Error('gone'));
  expect(await first).toBe('gone');
  expect((await Promise.all(later)).map((one) => one?.of)).toEqual(['a', 'b', 'c']);
  expect(asked).toEqual([['a'], ['a', 'b', 'c']]);
});

test('reads of all kinds leave together, and the next when all of those are back', async () => {
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  const kind = (name: string) =>
    gatheredRead<string, string>(
      (key) => key,
      (_, keys) => {
        asked.push(`${name} ${keys}`);
        return new Promise((resolve) => {
          answers.set(name, () => resolve(keys.map((key, index) => ({ place: index + 1, found: `${name} ${key}` }))));
        });
      },
    );
  const [orders, merchants] = [kind('orders'), kind('merchants')];
  const first = [orders(db, 'a'), merchants(db, 'm'), orders(db, 'b')];
  await nextTurn();
  expect(asked).toEqual(['orders a,b', 'merchants m']);
  const later = [merchants(db, 'n'), orders(db, 'c')];
  answers.get('orders')!();
  expect(await first[0]).toBe('orders a');
  await nextTurn();
  expect(asked).toHaveLength(2);
  answers.get('merchants')!();
  expect(await Promise.all(first)).toEqual(['orders a', 'merchants m', 'orders b']);
  await nextTurn();
  expect(asked.slice(2)).toEqual(['merchants n', 'orders c']);
  for (const answer of answers.values()) answer();
  expect(await Promise.all(later)).toEqual(['merchants n', 'orders c']);
});

test('a transaction is never asked with somebody else’s handle', async () => {
  const { asked, read } = recording(all);
  await Promise.all([read(db, 'a'), read(other, 'a')]);
  expect(asked.map(({ handle }) => handle)).toEqual([db, other]);
});

test('what does not exist is undefined, and a failure reaches everybody who asked', async () => {
  const { read } = recording(() => []);
  expect(await read(db, 'a')).toBeUndefined();
  const failing = recording(() => {
    throw new Error('gone');
  });
  const outcomes = await Promise.allSettled([failing.read(db, 'a'), failing.read(db, 'b')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
