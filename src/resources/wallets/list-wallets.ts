import { boolean, text, uuid, word } from '../../kernel/filters.ts';
import { toWallet, walletSchema } from '../../model/wallet.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listWallets as listWalletRows } from '../../store/wallets.ts';

export const listWallets = operation({
  name: 'list_wallets',
  summary: 'List connected wallets, first in line first',
  method: 'GET',
  path: '/api/v1/m/wallets',
  access: { permission: 'wallets:read' },
  query: {
    paged: true,
    filters: {
      wallet_type: word('lightning'),
      status: word('active', 'disabled'),
      enabled: boolean,
      is_default: boolean,
      name: text,
      merchant_id: uuid,
    },
  },
  answer: listOf(walletSchema),
  tool: {
    description: 'List the wallets that payments go to, first in line first, and whether they work.',
  },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await listWalletRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toWallet), totalCount } };
  },
});
