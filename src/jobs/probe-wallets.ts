import type { Parts } from '../flows/parts.ts';
import { probeWallet } from '../flows/probe-wallet.ts';
import { claimWalletProbes, findWalletForJob } from '../store/wallets.ts';
import { type Job, startJob } from './job.ts';

const everyMillis = 600 * 1000;
const mostAtOnce = 5;

/**
 * Asks each wallet once a day what it can do: providers change their limits, and begin or cease to tell of payments. What
 * a wallet answers counts from then on, so one that was of no use may come into use by itself, and the other way round.
 */
export function probeWallets(parts: Parts): Job {
  return startJob(parts.log, {
    name: 'probe-wallets',
    pauseMillis: everyMillis,
    pausesFirst: true,
    round: async (signal) => ((await probeDueWallets(parts, signal)) > 0 ? 0 : undefined),
  });
}

/** Probes some of the wallets that are due. A failure is noted at the wallet. @returns how many were asked. */
export async function probeDueWallets(parts: Parts, signal: AbortSignal): Promise<number> {
  const ids = await claimWalletProbes(parts.db, parts.clock.now(), mostAtOnce);
  await Promise.all(ids.map((id) => probeOne(parts, id, signal)));
  return ids.length;
}

async function probeOne(parts: Parts, id: string, signal: AbortSignal): Promise<void> {
  const wallet = await findWalletForJob(parts.db, id);
  if (!wallet) return;
  try {
    await probeWallet(parts, wallet, signal);
  } catch (error) {
    parts.log.info({ wallet: id, reason: (error as Error).message }, 'a wallet did not answer its daily probe');
  }
}
