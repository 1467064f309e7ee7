import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { spawnSatline } from './run-satline.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('starts the service and stops it on SIGTERM', { timeout: 180_000 }, async () => {
  const child = spawnSatline({ ...database.env, PORT: '0' }, 'start');
  const exit = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += chunk;
    const address = /ready at (http:\S+)/.exec(printed)?.[1];
    if (!address) continue;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect(await statusesOf(address)).toEqual([200, 200, 200, 200, 401]);
    child.kill('SIGTERM');
    break;
  }
  expect(await exit).toEqual([0, null]);
});

/** What reads files beside its own module, or starts a thread from one: a bundle could have lost it. */
async function statusesOf(address: string): Promise<number[]> {
  const pages = ['/docs', '/sign-in', '/js/pay.js', '/.well-known/oauth-authorization-server'];
  const somebody = { email: 'nobody@example.com', password: 'a password of nobody' };
  const answers = await Promise.all([
    ...pages.map((page) => fetch(address + page)),
    fetch(`${address}/api/v1/m/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(somebody),
    }),
  ]);
  return answers.map(({ status }) => status);
}
