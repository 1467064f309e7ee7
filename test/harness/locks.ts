import { vi } from 'vitest';
import type { Transaction } from '../../src/db/database.ts';
import type { TestApp } from './app.ts';

/** Keeps a transaction open once `work` is done in it. @returns what commits it. */
export async function holdOpen(
  app: TestApp,
  work: (tx: Transaction) => Promise<unknown>,
): Promise<() => Promise<void>> {
  let letGo = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    ended = app.parts.db.transaction(async (tx) => {
      await work(tx);
      resolve();
      await released;
    });
    ended.catch(reject);
  });
  return async () => {
    letGo();
    await ended;
  };
}

/** Until that many of the app's connections wait for a lock. On PostgreSQL only. */
export function lockWaiters(app: TestApp, count: number): Promise<void> {
  return vi.waitFor(
    async () => {
      const [row] = await app.rows<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (row!.count !== count) throw new Error(`${row!.count} connections wait for a lock, not ${count}`);
    },
    { timeout: 5000, interval: 10 },
  );
}
