import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { spawnSatline } from './run-satline.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('starts the service and stops it on SIGTERM', { timeout: 180_000 }, async () => {
  const child = spawnSatline({ ...database.env, PORT: '0' }, 'start');
  const exit = once(child, 'exit');
  let printed = '';
  for await (const chunk of child.stdout!) {
    printed += chunk;
    const address = /ready at (http:\S+)/.exec(printed)?.[1];
    if (!address) continue;
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    child.kill('SIGTERM');
    break;
  }
  expect(await exit).toEqual([0, null]);
});
