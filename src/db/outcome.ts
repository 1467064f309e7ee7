import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const patienceMillis = 8000;
const pauseMillis = 250;

/**
 * How a transaction ended whose COMMIT got no answer. The old session may still be running it, so "in progress" is
 * asked again; a server that is restarting is waited for a while.
 */
export async function outcomeOf(
  connect: () => Promise<pg.PoolClient>,
  transactionId: string,
): Promise<'committed' | 'aborted' | undefined> {
  const deadline = Date.now() + patienceMillis;
  while (Date.now() < deadline) {
    try {
      const client = await connect();
      try {
        const { rows } = await client.query<{ status: string | null }>(
          'select pg_xact_status($1::text::xid8) as status',
          [transactionId],
        );
        const status = rows[0]?.status;
        if (status === 'committed' || status === 'aborted') return status;
      } finally {
        client.release();
      }
    } catch {
      // The server is still away: the next round asks again.
    }
    await sleep(pauseMillis);
  }
  return undefined;
}
