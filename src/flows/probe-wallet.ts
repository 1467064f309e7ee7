import type { WalletRow } from '../model/wallet.ts';
import { saveProbe } from '../wallets/runtime.ts';
import { toAppError } from './connect-wallet.ts';
import type { Parts } from './parts.ts';

/**
 * Asks a wallet again what it can do, and saves that; a wallet that was paused after failing is back at once.
 * @throws {AppError} `wallet_unavailable` or `validation_error` with what the wallet said; the failure is noted.
 */
export async function probeWallet(
  parts: Pick<Parts, 'db' | 'clock' | 'wallets'>,
  wallet: WalletRow,
  signal: AbortSignal,
): Promise<void> {
  const probe = await parts.wallets.probe(wallet, signal).catch((error: unknown) => {
    throw toAppError(error);
  });
  await saveProbe(parts.db, wallet.id, probe, parts.clock.now());
}
