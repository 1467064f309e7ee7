import { dynamicStatement } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import { addSeconds } from '../kernel/clock.ts';
import { deliveriesKeptDays, eventsKeptDays } from '../model/event.ts';
import { endedConnectionSeconds, interactionSeconds, unusedClientSeconds } from '../model/oauth-connection.ts';
import { toolCallsKeptDays } from '../model/tool-call.ts';
import { sweepOauthArtifacts } from '../store/oauth-artifacts.ts';
import { sweepOauthClients } from '../store/oauth-clients.ts';
import { endIdleConnections, sweepOauthConnections } from '../store/oauth-connections.ts';
import {
  batchSize,
  isFullBatch,
  sweepBefore,
  sweepCounts,
  sweepDeliveries,
  sweepEvents,
  sweepOrphanedDeliveries,
} from '../store/sweep.ts';
import { sweepToolCalls } from '../store/tool-calls.ts';
import { deleteOldLinks } from '../store/user-links.ts';
import { type Job, startJob } from './job.ts';

const everyMillis = 3600 * 1000;
/** A little more than a key is remembered. */
const keepSeconds = 25 * 3600;
const daySeconds = 24 * 3600;
const linksKeptDays = 30;
/** The longest window of requests or tries is an hour. */
const countsKeptSeconds = 2 * 3600;

/**
 * Once an hour: old idempotency keys, invoice requests, sign-ins, links, counts of requests and tries, deliveries, events,
 * tool calls and what OAuth left behind go.
 */
export function sweep(parts: Parts): Job {
  const { db, log } = parts;
  return startJob(log, {
    name: 'sweep',
    pauseMillis: everyMillis,
    pausesFirst: true,
    async round(signal) {
      const removed = await sweepOnce(parts, signal);
      // The embedded engine has no background process that would do this.
      if (db.engine === 'embedded') await db.run(dynamicStatement('vacuum analyze'));
      log.debug({ removed }, 'swept');
      return undefined;
    },
  });
}

/** Removes all that is old now. @returns the number of rows. */
export async function sweepOnce({ db, clock }: Parts, signal?: AbortSignal): Promise<number> {
  const now = clock.now();
  async function inBatches(removeBatch: () => Promise<number>): Promise<number> {
    let removed = 0;
    let batch = 0;
    do {
      batch = await removeBatch();
      removed += batch;
    } while (isFullBatch(batch) && !signal?.aborted);
    return removed;
  }
  const aDayAndMore = await sweepBefore(db, addSeconds(now, -keepSeconds));
  const links = await deleteOldLinks(db, addSeconds(now, -linksKeptDays * daySeconds));
  const counts = await sweepCounts(db, addSeconds(now, -countsKeptSeconds));
  const orphans = await inBatches(() => sweepOrphanedDeliveries(db));
  const deliveries = await inBatches(() => sweepDeliveries(db, addSeconds(now, -deliveriesKeptDays * daySeconds)));
  const events = await inBatches(() => sweepEvents(db, addSeconds(now, -eventsKeptDays * daySeconds)));
  const toolCallsBefore = addSeconds(now, -toolCallsKeptDays * daySeconds);
  const toolCalls = await inBatches(() => sweepToolCalls(db, toolCallsBefore, batchSize));
  const oauth = await sweepOauth();
  return aDayAndMore + links + counts + orphans + deliveries + events + toolCalls + oauth;

  async function sweepOauth(): Promise<number> {
    const artifacts = await inBatches(() => sweepOauthArtifacts(db, now, batchSize));
    // After what has expired is gone. A connection that was just made may not have its code yet.
    await endIdleConnections(db, now, addSeconds(now, -interactionSeconds));
    const endedBefore = addSeconds(now, -endedConnectionSeconds);
    const connections = await inBatches(() => sweepOauthConnections(db, endedBefore, batchSize));
    const unusedSince = addSeconds(now, -unusedClientSeconds);
    return artifacts + connections + (await inBatches(() => sweepOauthClients(db, unusedSince, batchSize)));
  }
}
