import { AppError, invalid } from '../kernel/errors.ts';
import { allBitcoinMsat } from '../lightning/bolt11-amount.ts';
import { canSeeSettlement, isOperational, largestPaymentSats, type WalletRow } from '../model/wallet.ts';

/**
 * The wallets that can take a payment, in the order they are asked. No wallet is called here: an amount that fits none
 * is refused before any call.
 * @param wallets all of the merchant's in one mode, by position.
 * @param pinnedId the only wallet that may be used, when the merchant named one.
 */
export function chooseWallets(
  wallets: readonly WalletRow[],
  amountSats: number,
  pinnedId: string | undefined,
): WalletRow[] {
  const allowed = wallets.filter((wallet) => wallet.enabled && (pinnedId === undefined || wallet.id === pinnedId));
  const provable = allowed.filter(canSeeSettlement);
  if (provable.length === 0) {
    throw new AppError(
      'no_wallet',
      allowed.length === 0
        ? 'No enabled wallet can take this payment; connect or enable one'
        : 'No enabled wallet can show that a payment has settled; connect one that can',
    );
  }
  const fitting = provable.filter((wallet) => fits(wallet, amountSats));
  if (fitting.length === 0) throw doesNotFit(provable, amountSats);
  const usable = fitting.filter(isOperational);
  if (usable.length === 0) {
    throw new AppError('wallet_unavailable', 'The wallet is not answering at the moment; try again in a minute', {
      retryAfterSeconds: 60,
    });
  }
  return usable;
}

const allBitcoinSats = Number(allBitcoinMsat / 1000n);

/** Also of a wallet that names none: an invoice for more than there is would fail, and be counted as the wallet's failure. */
function limitSats(wallet: WalletRow): number {
  return Math.min(largestPaymentSats(wallet) ?? allBitcoinSats, allBitcoinSats);
}

function fits(wallet: WalletRow, amountSats: number): boolean {
  return amountSats >= wallet.min_sats && amountSats <= limitSats(wallet);
}

function doesNotFit(wallets: readonly WalletRow[], amountSats: number): AppError {
  const largest = Math.max(...wallets.map(limitSats));
  if (amountSats > largest) {
    return new AppError(
      'amount_exceeds_wallet_limits',
      `The amount of ${amountSats} sats exceeds the largest payment any of the wallets can take, ${largest} sats`,
    );
  }
  const minimums = wallets.map((wallet) => wallet.min_sats).filter((minimum) => amountSats < minimum);
  const smallest = Math.min(...minimums);
  return invalid(`the amount of ${amountSats} sats is below the smallest payment the wallets take, ${smallest} sats`);
}
