import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { changedSettings, type SimulationWishes } from '../model/simulation.ts';
import type { WalletRow } from '../model/wallet.ts';
import { findWallet, lockWallet, updateWallet, type WalletChange } from '../store/wallets.ts';

/** What is left out stays as it is; null does, too, but for `max_payment_sats`, where it lifts the ceiling. */
type WalletWishes = {
  readonly [Name in Exclude<keyof WalletChange, 'settings'>]?: WalletChange[Name] | null | undefined;
} & {
  /** Of the simulated wallet alone. */
  readonly simulation?: SimulationWishes | null | undefined;
};

/**
 * @throws {AppError} `not_found`, or `validation_error` for a ceiling below what the wallet takes at least, and for what
 * only the simulated wallet does.
 */
export async function changeWallet(
  tx: Handle,
  scope: Scope,
  id: string,
  sent: WalletWishes,
  now: Date,
): Promise<WalletRow> {
  const before = await lockWallet(tx, scope, id);
  if (!before) throw notFound('Wallet');
  const { max_payment_sats: largest } = sent;
  if (largest != null && largest < before.min_sats) {
    throw invalid(`max_payment_sats is below the ${before.min_sats} sats that this wallet takes at least`);
  }
  if (sent.simulation && before.connection !== 'simulated') {
    throw invalid('simulation is for the simulated wallet of test mode; this one is real');
  }
  const change = {
    name: sent.name ?? before.name,
    position: sent.position ?? before.position,
    enabled: sent.enabled ?? before.enabled,
    max_payment_sats: largest === undefined ? before.max_payment_sats : largest,
    takes_preimages: sent.takes_preimages ?? before.takes_preimages,
    settings: changedSettings(before.settings, sent.simulation ?? {}),
  };
  await updateWallet(tx, scope, before.id, change, now);
  return (await findWallet(tx, scope, before.id))!;
}
