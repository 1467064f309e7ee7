import type { Command } from 'commander';
import { markWalletDeleted } from '../store/wallets.ts';
import { addCommand, withParts } from './command.ts';
import { getWalletForOperator } from './find-wallet.ts';
import { readId } from './option-values.ts';

export function addRemoveWallet(group: Command): void {
  addCommand(
    group,
    'remove',
    'Disconnect a wallet; its open invoices stay watched, then its credential is erased',
    'wallet remove ID',
  )
    .argument('<id>', 'of the wallet, as "satline wallet list" shows it', readId)
    .action(
      withParts(async ({ parts }, _options, id) => {
        const { merchant_id, livemode, name } = await getWalletForOperator(parts.db, id);
        const scope = { merchantId: merchant_id, livemode };
        await markWalletDeleted(parts.db, scope, id, parts.clock.now());
        return { json: { object: 'wallet', id, deleted: true }, text: `${name} is disconnected.` };
      }),
    );
}
