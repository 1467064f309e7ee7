import type { Command } from 'commander';
import type { WalletRow } from '../model/wallet.ts';
import { listMerchantWallets } from '../store/wallets.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readId } from './option-values.ts';
import { table } from './output.ts';
import { stateText, walletJson } from './wallet-text.ts';

export function addListWallets(group: Command): void {
  addCommand(group, 'list', "List a merchant's wallets of both modes, first in line first", 'wallet list --merchant ID')
    .option('--merchant <id>', 'whose wallets; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const { id } = await chooseMerchant(parts.db, options.merchant);
        const live = await listMerchantWallets(parts.db, { merchantId: id, livemode: true });
        const test = await listMerchantWallets(parts.db, { merchantId: id, livemode: false });
        const wallets = [...live, ...test];
        const missing = live.length > 0 ? '' : '\n\nThere is no live wallet. Add one with "satline wallet add --live".';
        return {
          json: { object: 'list', data: wallets.map(walletJson) },
          text: table(['ID', 'MODE', 'STATE', 'SETTLEMENT', 'NAME', 'LAST ERROR'], wallets.map(cells)) + missing,
        };
      }),
    );
}

function cells(row: WalletRow): string[] {
  const mode = row.livemode ? 'live' : 'test';
  return [row.id, mode, stateText(row), row.settlement_visibility, row.name, row.last_error ?? ''];
}
