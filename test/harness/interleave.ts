import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { dynamicStatement, type Transaction } from '../../src/db/database.ts';
import type { TestApp } from './app.ts';

/** Waits until `count` sessions of the test's database wait for a lock. PostgreSQL only. @throws after 5 s. */
export async function untilWaiting(app: TestApp, count = 1): Promise<void> {
  const asked = `select count(*)::int as waiting from pg_stat_activity
                  where datname = current_database() and wait_event_type = 'Lock'`;
  for (const end = performance.now() + 5000; ; await sleep(5)) {
    const [row] = await app.rows<{ waiting: number }>(asked);
    if (row!.waiting >= count) return;
    if (performance.now() > end) throw new Error(`${row!.waiting} of ${count} wait for a lock`);
  }
}

/** Holds a row while `meanwhile` sets calls off that need it; they go on, in the order they came, when it returns. */
export function whileLocked<T>(app: TestApp, table: string, id: string, meanwhile: () => Promise<T>): Promise<T> {
  const outside = AsyncLocalStorage.snapshot();
  return app.parts.db.transaction(async (tx) => {
    await tx.many(dynamicStatement(`select from ${table} where id = $1 for update`), [id]);
    return outside(meanwhile);
  });
}

/** Runs `first` in a transaction that is committed only when `second` waits for it. */
export async function commitWhileWaiting<First, Second>(
  app: TestApp,
  first: (tx: Transaction) => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, PromiseSettledResult<Second>]> {
  const outside = AsyncLocalStorage.snapshot();
  let later: Promise<PromiseSettledResult<Second>[]> | undefined;
  const value = await app.parts.db.transaction(async (tx) => {
    const done = await first(tx);
    later = Promise.allSettled([outside(second)]);
    await outside(() => untilWaiting(app));
    return done;
  });
  return [value, (await later!)[0]!];
}
