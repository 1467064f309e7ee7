import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { setWalletEnabled } from '../store/wallets.ts';
import { addCommand, withParts } from './command.ts';
import { requireWalletForOperator } from './find-wallet.ts';
import { readId } from './option-values.ts';
import { walletFacts, walletJson } from './wallet-text.ts';

/** `wallet enable` and `wallet disable`. */
export function addSwitchWallet(group: Command): void {
  addSwitch(group, 'enable', true, 'Let a wallet take payments again');
  addSwitch(group, 'disable', false, 'Make no more invoices with a wallet; those that are open stay watched');
}

function addSwitch(group: Command, word: 'enable' | 'disable', enabled: boolean, summary: string): void {
  addCommand(group, word, summary, `wallet ${word} ID`)
    .argument('<id>', 'of the wallet, as "satline wallet list" shows it', readId)
    .action(
      withParts(async ({ parts }, _options, id) => {
        const { merchant_id, livemode } = await requireWalletForOperator(parts.db, id);
        const scope = { merchantId: merchant_id, livemode };
        const now = parts.clock.now();
        await parts.db.transaction(async (tx) => {
          await setWalletEnabled(tx, scope, id, enabled, now);
          await recordOperatorAudit(tx, { ...scope, action: 'update_wallet', subjectId: id, now });
        });
        const wallet = await requireWalletForOperator(parts.db, id);
        return { json: walletJson(wallet), text: `${wallet.name} is ${word}d:\n\n${walletFacts(wallet)}` };
      }),
    );
}
