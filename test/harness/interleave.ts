import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { dynamicStatement, type Transaction } from '../../src/db/database.ts';
import type { TestApp } from './app.ts';

/** How many sessions of the test's database wait for a lock. PostgreSQL only. */
async function countWaiting(app: TestApp): Promise<number> {
  const [row] = await app.rows<{ waiting: number }>(
    `select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return row!.waiting;
}

/** Waits until so many sessions wait for a lock. @throws after 5 s. */
export async function untilWaiting(app: TestApp, count = 1): Promise<void> {
  for (const end = performance.now() + 5000; ; await sleep(5)) {
    const waiting = await countWaiting(app);
    if (waiting >= count) return;
    if (performance.now() > end) throw new Error(`${waiting} of ${count} wait for a lock`);
  }
}

/** Until somebody waits for another's lock, or `work` is over without waiting. */
export async function untilItWaits(app: TestApp, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  while (!isOver && (await countWaiting(app)) === 0) await sleep(5);
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
