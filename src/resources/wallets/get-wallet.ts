import { notFound } from '../../kernel/errors.ts';
import { toWalletDetail, walletDetailSchema } from '../../model/wallet.ts';
import { json, operation } from '../../operation/operation.ts';
import { findWallet } from '../../store/wallets.ts';

export const getWallet = operation({
  name: 'get_wallet',
  summary: 'Show a wallet and its health',
  method: 'GET',
  path: '/api/v1/m/wallets/{id}',
  access: { permission: 'wallets:read' },
  params: { id: 'Wallet' },
  answer: json(walletDetailSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one wallet and its health: when it was last used, and what failed.',
    rename: { id: 'wallet_id' },
  },
  async run(call, { params }) {
    const wallet = await findWallet(call.db, call.scope, params.id!);
    if (!wallet) throw notFound('Wallet');
    return toWalletDetail(wallet);
  },
});
