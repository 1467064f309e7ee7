import { expect, test } from 'vitest';
import { createVisitorPlaces, type VisitorPlace } from '../../src/limits/visitor-places.ts';

/** Enters for each address in turn; who has a place is in `inside`, in the sequence of getting it. */
function openPlaces() {
  const places = createVisitorPlaces();
  const inside: { address: string; place: VisitorPlace }[] = [];
  return {
    inside,
    enter: async (address: string, left = new AbortController().signal) => {
      const place = await places.enter(address, left);
      if (place) inside.push({ address, place });
      return place;
    },
    names: () => inside.map(({ address }) => address),
  };
}

// Promises settle; nothing is waited for.
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one visit of an address at a time, four in all, first come first served', async () => {
  const { enter, inside, names } = openPlaces();
  for (const address of ['a', 'a', 'b', 'c', 'd', 'e', 'f']) void enter(address);
  await settled();
  expect(names()).toEqual(['a', 'b', 'c', 'd']);
  inside[1]!.place.leave();
  inside[1]!.place.leave();
  await settled();
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  inside[0]!.place.leave();
  await settled();
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'a']);
});

test('who waits for a wallet makes room, and goes on before anybody new begins', async () => {
  const { enter, inside, names } = openPlaces();
  void enter('a');
  await settled();
  let answer: (value: string) => void = () => {};
  const aside = inside[0]!.place.aside(() => new Promise<string>((resolve) => (answer = resolve)));
  for (const address of ['a', 'a']) void enter(address);
  await settled();
  expect(names()).toEqual(['a', 'a']);
  answer('invoice');
  await settled();
  inside[1]!.place.leave();
  expect(await aside).toBe('invoice');
  await settled();
  expect(names()).toEqual(['a', 'a']);
  inside[0]!.place.leave();
  await settled();
  expect(names()).toEqual(['a', 'a', 'a']);
});

test('what fails aside leaves the place as it was', async () => {
  const { enter, inside, names } = openPlaces();
  void enter('a');
  await settled();
  await expect(inside[0]!.place.aside(() => Promise.reject(new Error('wallet')))).rejects.toThrow('wallet');
  void enter('a');
  await settled();
  expect(names()).toEqual(['a']);
});

test('20 of an address wait for wallets at most', async () => {
  const { enter, inside } = openPlaces();
  const ends: (() => void)[] = [];
  for (let n = 0; n < 25; n++) {
    void enter('a').then((place) => place?.aside(() => new Promise<void>((resolve) => ends.push(resolve))));
  }
  await settled();
  expect([inside.length, ends.length]).toEqual([20, 20]);
  ends[0]!();
  await settled();
  inside[0]!.place.leave();
  await settled();
  expect(inside).toHaveLength(21);
});

test('who leaves while waiting takes no place; of too many the last are turned away', async () => {
  const { enter, inside, names } = openPlaces();
  void enter('a');
  await settled();
  const gone = new AbortController();
  const left = enter('a', gone.signal);
  void enter('a');
  gone.abort();
  expect(await left).toBeUndefined();
  inside[0]!.place.leave();
  await settled();
  expect(names()).toEqual(['a', 'a']);
  for (let n = 0; n < 1000; n++) void enter('a');
  expect(await enter('b')).toBeUndefined();
});
