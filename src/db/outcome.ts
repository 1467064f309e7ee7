import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const patienceMillis = 8000;
const pauseMillis = 250;

/**
 * Changes whenever the server restarts or recovers from a crash. Transaction ids that never reached the log are given
 * out again after a crash, so an id means nothing across one: the stranger that got it may well have committed.
 * A crash that leaves the postmaster running shows in the statistics, which it resets.
 */
const epochText = `select pg_postmaster_start_time()::text || ' ' || coalesce(stats_reset::text, '') as epoch
                     from pg_stat_bgwriter`;
const epochs = new WeakMap<pg.PoolClient, Promise<string>>();

/** A transaction, as the server that ran it knows it. */
export interface TransactionMark {
  id: string;
  epoch: string;
}

/** The epoch of the server behind a connection, asked once per connection. */
export function epochOf(client: pg.PoolClient): Promise<string> {
  let epoch = epochs.get(client);
  if (!epoch) {
    epoch = client.query<{ epoch: string }>(epochText).then(({ rows }) => rows[0]!.epoch);
    epoch.catch(() => epochs.delete(client));
    epochs.set(client, epoch);
  }
  return epoch;
}

/**
 * How a transaction ended whose COMMIT got no answer; undefined when nobody can say. The old session may still be
 * running it, so "in progress" is asked again; a server that is away is waited for a while.
 */
export async function outcomeOf(
  connect: () => Promise<pg.PoolClient>,
  mark: TransactionMark,
): Promise<'committed' | 'aborted' | undefined> {
  const deadline = Date.now() + patienceMillis;
  while (Date.now() < deadline) {
    try {
      const client = await connect();
      try {
        if ((await epochOf(client)) !== mark.epoch) return undefined;
        const { rows } = await client.query<{ status: string | null }>(
          'select pg_xact_status($1::text::xid8) as status',
          [mark.id],
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
