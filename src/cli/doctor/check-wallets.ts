import type { Handle } from '../../db/database.ts';
import type { MerchantRow } from '../../model/merchant.ts';
import { isOperational, type WalletRow } from '../../model/wallet.ts';
import { listMerchantsForOperator } from '../../store/merchants.ts';
import { listWalletsForOperator } from '../../store/wallets.ts';
import { settlementText } from '../wallet-text.ts';
import { type Check, ok, trouble } from './check.ts';

/** What is known of every merchant's wallets; none of them is asked. */
export async function checkWallets(db: Handle): Promise<Check[]> {
  const merchants = await listMerchantsForOperator(db);
  if (merchants.length === 0) {
    return [ok('merchants', 'There are none yet.', 'Make one with "satline merchant create".')];
  }
  const wallets = await listWalletsForOperator(db);
  return merchants.flatMap((merchant) => {
    const own = wallets.filter((wallet) => wallet.merchant_id === merchant.id);
    return [...missingLive(merchant, own), ...own.map(checkWallet)];
  });
}

function missingLive(merchant: MerchantRow, wallets: readonly WalletRow[]): Check[] {
  if (wallets.some((wallet) => wallet.livemode && wallet.enabled)) return [];
  const advice = `For real payments: satline wallet add --merchant ${merchant.id} --live name@wallet.example`;
  return [ok(`merchant ${merchant.name}`, 'No wallet in live mode.', advice)];
}

function checkWallet(wallet: WalletRow): Check {
  const title = `${wallet.livemode ? 'live' : 'test'} wallet ${wallet.name}`;
  if (!wallet.enabled) return ok(title, 'Disabled; it takes no payments.');
  if (isOperational(wallet)) {
    const advice = wallet.last_error === null ? undefined : `Its last call failed: ${wallet.last_error}`;
    return ok(title, `Takes payments; settlement is ${settlementText[wallet.settlement_visibility]}.`, advice);
  }
  if (wallet.broken) {
    const found = `Paused after ${wallet.consecutive_failures} failures: ${wallet.last_error}`;
    return trouble(title, found, `When the wallet is well again: satline wallet probe ${wallet.id}`);
  }
  const advice = `Connect another wallet and disable this one: satline wallet disable ${wallet.id}`;
  return trouble(title, `Takes no payments; settlement is ${settlementText.none}.`, advice);
}
