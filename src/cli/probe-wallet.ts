import type { Command } from 'commander';
import { WalletFault } from '../lightning/connector.ts';
import { saveProbe } from '../wallets/runtime.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { requireWalletForOperator } from './find-wallet.ts';
import { readId } from './option-values.ts';
import { walletFacts, walletJson } from './wallet-text.ts';

export function addProbeWallet(group: Command): void {
  addCommand(
    group,
    'probe',
    'Ask a wallet again what it can do and save it; a wallet paused after failing is back at once',
    'wallet probe ID',
  )
    .argument('<id>', 'of the wallet, as "satline wallet list" shows it', readId)
    .action(
      withParts(async ({ parts, progress, signal }, _options, id) => {
        const wallet = await requireWalletForOperator(parts.db, id);
        progress.show(`Asking ${wallet.name}`);
        const probe = await parts.wallets.probe(wallet, signal).catch((error: unknown) => {
          if (!(error instanceof WalletFault)) throw error;
          const sentence = error.message.replace(/\.$/, '');
          throw new CliFailure(`${sentence}. The failure is noted; try again when the wallet is well.`, {
            cause: error,
          });
        });
        await saveProbe(parts.db, wallet.id, probe, parts.clock.now());
        const now = await requireWalletForOperator(parts.db, wallet.id);
        return { json: walletJson(now), text: `${now.name} answers:\n\n${walletFacts(now)}` };
      }),
    );
}
