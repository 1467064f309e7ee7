import { expect, test } from 'vitest';
import { createPasswordTurns } from '../../src/limits/password-turns.ts';

/** Turns whose checks and rests end when the test says so; `log` tells whose check began, and how long it rested. */
function openTurns(busyShare: number) {
  const log: string[] = [];
  let endRest: () => void = () => {};
  const turns = createPasswordTurns(
    () => () => busyShare,
    (millis) => {
      log.push(millis > 0 ? 'rest' : 'no rest');
      return new Promise<void>((resolve) => {
        endRest = resolve;
      });
    },
  );
  const ends: (() => void)[] = [];
  return {
    log,
    turns,
    come: (address: string) =>
      turns.take(address, () => {
        log.push(address);
        return new Promise<void>((resolve) => void ends.push(resolve));
      }),
    async endCheck() {
      ends.shift()!();
      await settled();
    },
    async endRest() {
      endRest();
      await settled();
    },
  };
}

// Promises settle; nothing is waited for.
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('who comes alone waits for nothing', async () => {
  const { come, endCheck, log } = openTurns(1);
  for (let i = 0; i < 2; i++) {
    const check = come('192.0.2.1');
    await endCheck();
    await check;
  }
  expect(log).toEqual(['192.0.2.1', '192.0.2.1']);
});

test('a wave is worked through one by one, with rests; a network with many waits for one of each other', async () => {
  const { come, endCheck, endRest, log } = openTurns(0.5);
  const many = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1', '198.51.100.7', '2001:db8::1', '2001:db8::2'];
  const all = Promise.all(many.map(come));
  for (let i = 0; i < many.length; i++) {
    await endCheck();
    await endRest();
  }
  await all;
  expect(log.filter((one) => one !== 'rest')).toEqual([
    '192.0.2.1',
    '192.0.2.1',
    '198.51.100.7',
    '2001:db8::1',
    '192.0.2.1',
    '2001:db8::2',
    '192.0.2.1',
  ]);
  expect(log.filter((one) => one === 'rest')).toHaveLength(many.length - 1);
  expect(log.slice(0, 3)).toEqual(['192.0.2.1', 'rest', '192.0.2.1']);
});

test('nothing rests while the process has nothing else to do', async () => {
  const { come, endCheck, endRest, log } = openTurns(0);
  const both = Promise.all(['a', 'b'].map(come));
  await endCheck();
  await endRest();
  await endCheck();
  await both;
  expect(log).toEqual(['a', 'no rest', 'b']);
});

test('a check that fails gives its turn on', async () => {
  const turns = createPasswordTurns();
  const failing = turns.take('a', () => Promise.reject(new Error('no database')));
  const next = turns.take('b', async () => 'checked');
  await expect(failing).rejects.toThrow('no database');
  expect(await next).toBe('checked');
});

test('one network cannot fill the line', async () => {
  const { turns } = openTurns(0);
  const stay = () => new Promise<void>(() => {});
  for (let i = 0; i <= 60; i++) void turns.take('192.0.2.1', stay);
  await expect(turns.take('192.0.2.1', stay)).rejects.toMatchObject({ code: 'rate_limited' });
  let isRefused = false;
  turns.take('198.51.100.7', stay).catch(() => {
    isRefused = true;
  });
  await settled();
  expect(isRefused).toBe(false);
});

test('when too many wait, those who come are told to come again', async () => {
  const { turns } = openTurns(0);
  for (let i = 0; i <= 500; i++) void turns.take(`10.0.${i >> 8}.${i & 255}`, () => new Promise(() => {}));
  await expect(turns.take('192.0.2.1', async () => 'checked')).rejects.toMatchObject({
    code: 'rate_limited',
    retryAfterSeconds: 10,
  });
});
