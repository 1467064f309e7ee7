import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkPassword, hashPassword } from '../../src/auth/password.ts';
import { PasswordThread } from '../../src/auth/password-thread.ts';

const password = 'seven otters rowing home';

test('a password fits its own hash, and nothing fits none', async () => {
  const [hash, again] = await Promise.all([hashPassword(password), hashPassword(password)]);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(again).not.toBe(hash);
  expect(await checkPassword(hash, password)).toBe(true);
  expect(await checkPassword(hash, `${password} `)).toBe(false);
  expect(await checkPassword(hash, '')).toBe(false);
  for (const none of [null, undefined]) expect(await checkPassword(none, password)).toBe(false);
});

test('what stands in for a missing hash takes the same work', async () => {
  const source = readFileSync(new URL('../../src/auth/password.ts', import.meta.url), 'utf8');
  const hash = await hashPassword(password);
  expect(/standIn = '(\$[^']+)'/.exec(source)![1]!.split('$').slice(0, 4)).toEqual(hash.split('$').slice(0, 4));
});

test.runIf(process.platform === 'linux')('its thread steps back behind the others, which stay', async () => {
  // Fields behind the name, which may hold anything: 19th of all is the niceness (proc(5)).
  const niceOf = (task: string) => {
    const text = readFileSync(`/proc/self/task/${task}/stat`, 'utf8');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16]);
  };
  const main = niceOf(`${process.pid}`);
  await new PasswordThread().verify(await hashPassword(password), password);
  const tasks = readdirSync('/proc/self/task').map((task) => [task, niceOf(task)] as const);
  expect(tasks.some(([, nice]) => nice === Math.min(19, main + 10))).toBe(true);
  expect(niceOf(`${process.pid}`)).toBe(main);
});

test('a thread that ends fails those who wait; the next one gets another', async () => {
  const thread = new PasswordThread();
  const hash = await hashPassword(password);
  // No hash at all: the library throws, and the thread with it.
  await expect(thread.verify('nonsense', password)).rejects.toThrow();
  expect(await thread.verify(hash, password)).toBe(true);
});
