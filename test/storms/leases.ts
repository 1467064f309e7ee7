import { openTestApp } from '../harness/app.ts';
import type { TestDatabase } from '../harness/database.ts';
import { soak } from './seeds.ts';

/**
 * What dead processes held, the keys of calls that were cut off and deliveries under way, is free at once; the soak waits
 * until it is. Nothing may be under way meanwhile, and no process may have the embedded database open.
 */
export async function endLeases(database: TestDatabase): Promise<void> {
  if (soak) return;
  const app = await openTestApp({ database: { ...database, drop: async () => {} }, watch: false });
  for (const table of ['idempotency_keys', 'invoice_requests', 'deliveries']) {
    await app.rows(
      `update ${table} set lease_until = clock_timestamp() - interval '1 second' where lease_until > clock_timestamp()`,
    );
  }
  await app.close();
}
