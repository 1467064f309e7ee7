import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { markWalletDeleted } from '../store/wallets.ts';
import { addCommand, withParts } from './command.ts';
import { requireWalletForOperator } from './find-wallet.ts';
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
        const { merchant_id, livemode, name } = await requireWalletForOperator(parts.db, id);
        const scope = { merchantId: merchant_id, livemode };
        const now = parts.clock.now();
        await parts.db.transaction(async (tx) => {
          await markWalletDeleted(tx, scope, id, now);
          await recordOperatorAudit(tx, { ...scope, action: 'delete_wallet', subjectId: id, now });
        });
        return { json: { object: 'wallet', id, deleted: true }, text: `${name} is disconnected.` };
      }),
    );
}
